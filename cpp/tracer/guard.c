// A mapped file that someone else cuts short must not end the program that counts in it.
#include "tracer.h"

#ifdef _WIN32  // there a mapped file cannot be cut short
void tracer_guard(void* memory, size_t size) {
  (void)memory;
  (void)size;
}
void tracer_unguard(void) {}
void* tracer_map(int descriptor, size_t size) {
  (void)descriptor;
  (void)size;
  return NULL;
}
#else
#include <signal.h>
#include <sys/mman.h>

static char* guarded;
static size_t guarded_size;
static struct sigaction before;

static void on_bus_error(int number, siginfo_t* info, void* context) {
  char* address = info->si_addr;
  // A positive code is a fault; a signal sent by someone has no address.
  if (info->si_code > 0 && guarded != NULL && address >= guarded && address < guarded + guarded_size &&
      mmap(guarded, guarded_size, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
          MAP_FAILED) {
    return;  // the counters go on in memory, unseen by anyone
  }
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(number, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(number);
  } else {
    sigaction(SIGBUS, &before, NULL);
    raise(SIGBUS);  // delivered once this handler has returned, and treated as without it
  }
}

void tracer_guard(void* memory, size_t size) {
  bool first = guarded == NULL;
  guarded = memory;
  guarded_size = size;
  if (!first) return;
  struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGBUS, &action, &before) != 0) guarded = NULL;
}

void* tracer_map(int descriptor, size_t size) {
  void* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return NULL;
  madvise(memory, size,
          MADV_RANDOM);  // a page at a time: with larger pieces the first access clears them all
  return memory;
}

void tracer_unguard(void) {
  if (guarded == NULL) return;
  guarded = NULL;
  struct sigaction present;
  // Only where nobody has put a handler over it meanwhile.
  if (sigaction(SIGBUS, NULL, &present) == 0 && (present.sa_flags & SA_SIGINFO) &&
      present.sa_sigaction == on_bus_error) {
    sigaction(SIGBUS, &before, NULL);
  }
}
#endif
