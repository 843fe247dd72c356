// A fixed set of threads for loops whose iterations are independent. Results never depend on their number.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace stakes {

// More never pays, and a wrong number of thousands would exhaust the system.
constexpr int kMaxThreads = 256;

class ThreadPool {
 public:
  explicit ThreadPool(int n_threads) {
    try {
      for (int i = 1; i < std::min(n_threads, kMaxThreads); ++i) {
        workers_.emplace_back([this, i] { work(static_cast<std::size_t>(i)); });
      }
    } catch (const std::system_error&) {
      // The system gives no more threads: those that are there do the work.
    }
  }

  ~ThreadPool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (auto& worker : workers_) worker.join();
  }

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t size() const { return workers_.size() + 1; }

  // Calls task(i, worker) for i in [0, n); worker < size() names the thread. `worthwhile` false runs on the
  // calling thread: waking costs about 10 us.
  void run(std::size_t n, bool worthwhile, const std::function<void(std::size_t, std::size_t)>& task) {
    if (workers_.empty() || !worthwhile || n < 2) {
      for (std::size_t i = 0; i < n; ++i) task(i, 0);
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      task_ = &task;
      n_ = n;
      next_ = 0;
      busy_ = workers_.size();
      error_ = nullptr;
      ++round_;
    }
    wake_.notify_all();
    drain(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void drain(std::size_t worker) {
    for (std::size_t i = next_++; i < n_; i = next_++) {
      try {
        (*task_)(i, worker);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
      }
    }
  }

  void work(std::size_t worker) {
    std::size_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return stopping_ || round_ != seen; });
        if (stopping_) return;
        seen = round_;
      }
      drain(worker);
      {
        const std::lock_guard lock(mutex_);
        --busy_;
      }
      done_.notify_one();
    }
  }

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(std::size_t, std::size_t)>* task_ = nullptr;
  std::atomic<std::size_t> next_{0};
  std::size_t n_ = 0, busy_ = 0, round_ = 0;
  std::exception_ptr error_;
  bool stopping_ = false;
};

}  // namespace stakes
