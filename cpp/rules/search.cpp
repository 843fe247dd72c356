#include "rules/search.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>

#include "common/parallel.hpp"
#include "rules/rows.hpp"

namespace stakes::rules {

namespace {

constexpr double kRounding = 1e-12;
// Candidates between two looks at the keyboard and at the memory; it also bounds what tasks hold.
constexpr std::uint64_t kBatch = 1 << 19;
constexpr std::size_t kMostBasics = 65'000;  // they are numbered in 16 bits
constexpr std::size_t kChunk = 8;            // working rules that one task extends

bool meets(double quality, double t_good) {
  return quality <= t_good + kRounding;
}

// Rules to be extended, all of one length, in lexicographic order of their basic rules.
struct Working {
  int length = 1;
  std::vector<std::uint16_t> basics;  // length for each rule
  std::vector<double> quality;
  std::vector<double> key;  // least closing quality of its prefixes, itself and its basic rules

  std::size_t size() const { return quality.size(); }
  const std::uint16_t* rule(std::size_t i) const {
    return basics.data() + i * static_cast<std::size_t>(length);
  }
  std::uint16_t last(std::size_t i) const { return rule(i)[length - 1]; }
  std::uint64_t bytes_each() const { return 2 * static_cast<std::uint64_t>(length) + 16; }
  void add(const std::uint16_t* prefix, std::uint16_t basic, double rule_quality, double rule_key) {
    basics.insert(basics.end(), prefix, prefix + length - 1);
    basics.push_back(basic);
    quality.push_back(rule_quality);
    key.push_back(rule_key);
  }
  void append(const Working& other) {
    basics.insert(basics.end(), other.basics.begin(), other.basics.end());
    quality.insert(quality.end(), other.quality.begin(), other.quality.end());
    key.insert(key.end(), other.key.begin(), other.key.end());
  }
  // Keeps the rules with these numbers (ascending).
  void keep(const std::vector<std::size_t>& kept) {
    const auto n = static_cast<std::size_t>(length);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      std::copy_n(basics.begin() + static_cast<std::ptrdiff_t>(kept[i] * n), n,
                  basics.begin() + static_cast<std::ptrdiff_t>(i * n));
      quality[i] = quality[kept[i]];
      key[i] = key[kept[i]];
    }
    basics.resize(kept.size() * n);
    quality.resize(kept.size());
    key.resize(kept.size());
  }
};

// Numbers of the rules by quality, the best first, earlier ones first among equals.
std::vector<std::size_t> by_quality(const std::vector<double>& quality) {
  std::vector<std::size_t> order(quality.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return quality[a] < quality[b]; });
  return order;
}

// A candidate that some cut-offs, first to last - 1, would accept.
struct Good {
  std::size_t prefix;  // number in the working set
  std::uint16_t basic;
  std::uint16_t first, last;
  Quality quality;
  double support;
};

// Within a level the best rule comes first: lowest quality, largest support, earliest. The paper's sets have
// no order; taken as they come, mediocre rules would cover the rows that make better ones count.
void put_best_first(std::vector<Good>& good) {
  const auto rounded = [](const Good& one) { return std::llround(one.quality.value * 1e9); };
  std::stable_sort(good.begin(), good.end(), [&](const Good& a, const Good& b) {
    const auto first = rounded(a), second = rounded(b);
    return first != second ? first < second : a.support > b.support;
  });
}

// What one task found, in order.
struct Extended {
  Working next;
  std::vector<Good> good;
};

class RuleSearcher {
 public:
  RuleSearcher(const Training& training, const std::vector<double>& class_costs, const double* row_costs,
               const RuleOptions& options, const Poll& poll)
      : options_(options),
        poll_(poll),
        rows_(training, class_costs, row_costs, options),
        pool_(options.n_threads) {}

  RuleSearch run() {
    result_.rules_at.resize(options_.t_good.size());
    uncovered_.assign(options_.t_good.size(), rows_.everything());
    Working working = basic_rules();
    scratch_.resize(pool_.size());
    while (working.size() > 0 && working.length < options_.max_length && !all_covered()) {
      working = extend(std::move(working));
    }
    return std::move(result_);
  }

 private:
  struct Scratch {
    std::vector<std::vector<Word>> sets;  // of the prefixes of the rule at hand
    std::vector<std::uint16_t> rule;
    std::vector<double> weights, shares;
  };

  std::size_t k() const { return rows_.n_classes(); }
  // Number of cut-offs that a quality does not meet. Of a rule's key: those that still follow it; of its
  // closing quality: the first that accepts it.
  std::size_t n_unmet(double quality) const {
    std::size_t n = 0;
    while (n < options_.t_good.size() && !meets(quality, options_.t_good[n])) ++n;
    return n;
  }
  bool all_covered() const {
    for (const auto& words : uncovered_) {
      for (const Word word : words) {
        if (word) return false;
      }
    }
    return true;
  }

  std::vector<std::size_t> affordable();
  Working basic_rules();
  Working extend(Working working);
  void trim_to_budget(Working& working);
  Extended extend_some(const Working& working, std::size_t begin, std::size_t end, Scratch& scratch) const;
  void extend_one(const Working& working, std::size_t i, Scratch& scratch, Extended& extended) const;
  const Word* prefix_set(const Working& working, std::size_t i, Scratch& scratch) const;
  bool can_cover(const Word* prefix, std::size_t open) const;
  void accept(const Working* working, std::vector<Good>& good);
  void accept_one(const std::uint16_t* prefix, std::size_t n_prefix, const Good& good);

  const RuleOptions& options_;
  const Poll& poll_;
  RuleRows rows_;
  ThreadPool pool_;
  RuleSearch result_;
  std::vector<std::vector<Word>> uncovered_;  // rows that no accepted rule of the cut-off covers
  std::vector<Scratch> scratch_;
};

// Basic rules of best quality whose sets, and codes by column, fit into memory.
std::vector<std::size_t> RuleSearcher::affordable() {
  std::vector<double> quality;
  for (const BasicRule& basic : rows_.basics()) quality.push_back(basic.quality.value);
  std::vector<std::size_t> kept;
  std::set<std::int32_t> columns;
  std::uint64_t bytes = 0;
  for (const std::size_t b : by_quality(quality)) {
    bytes += rows_.n_words() * sizeof(Word);
    if (columns.insert(rows_.basics()[b].feature).second) bytes += 2 * rows_.n_words() * kWordBits;
    if (!kept.empty() && (bytes > options_.max_bytes || kept.size() == kMostBasics)) {
      result_.cuts.push_back({SearchCut::Bound::memory, 1, kept.size(), quality.size()});
      break;
    }
    kept.push_back(b);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

// Rules of length one: those that fit into memory are kept, accepted, and where none of the cut-offs has
// accepted them, become the working set. A cut-off's accepted ones leave its base set: see `key`.
Working RuleSearcher::basic_rules() {
  rows_.keep(affordable());
  Working working;
  std::vector<Good> good;
  result_.length = 1;
  for (std::size_t b = 0; b < rows_.basics().size(); ++b) {
    const BasicRule& basic = rows_.basics()[b];
    const double support = rows_.class_weights(b)[basic.quality.label];
    good.push_back({0, static_cast<std::uint16_t>(b), static_cast<std::uint16_t>(n_unmet(basic.closing)),
                    static_cast<std::uint16_t>(options_.t_good.size()), basic.quality, support});
    if (n_unmet(basic.closing) > 0)
      working.add(nullptr, static_cast<std::uint16_t>(b), basic.quality.value, basic.closing);
  }
  accept(nullptr, good);
  return working;
}

void RuleSearcher::trim_to_budget(Working& working) {
  const std::uint64_t n_basics = rows_.basics().size();
  const std::uint64_t left =
      options_.max_candidates - std::min(options_.max_candidates, result_.n_candidates);
  std::uint64_t planned = 0;
  for (std::size_t i = 0; i < working.size(); ++i) planned += n_basics - rows_.later(working.last(i));
  if (planned <= left) return;
  planned = 0;
  std::vector<std::size_t> kept;
  for (const std::size_t i : by_quality(working.quality)) {
    planned += n_basics - rows_.later(working.last(i));
    if (planned > left) break;
    kept.push_back(i);
  }
  result_.cuts.push_back({SearchCut::Bound::candidates, working.length, kept.size(), working.size()});
  std::sort(kept.begin(), kept.end());
  working.keep(kept);
}

Working RuleSearcher::extend(Working working) {
  trim_to_budget(working);
  Working next;
  next.length = working.length + 1;
  const std::size_t most = std::max<std::size_t>(1, options_.max_bytes / next.bytes_each());
  std::vector<Good> good;
  std::uint64_t n_cut = 0;
  std::size_t begin = 0;
  while (begin < working.size()) {
    // How long rules get is not known: each level is taken for half of what is left.
    const double level = std::exp2(-working.length);
    const double done =
        1.0 - level * (2.0 - static_cast<double>(begin) / static_cast<double>(working.size()));
    poll_(done);
    std::size_t end = begin;
    std::uint64_t planned = 0;
    for (; end < working.size() && planned < kBatch; ++end) {
      planned += rows_.basics().size() - rows_.later(working.last(end));
    }
    const std::size_t n_chunks = (end - begin + kChunk - 1) / kChunk;
    std::vector<Extended> parts(n_chunks);
    std::atomic<bool> stopped{false};
    pool_.run(n_chunks, planned * rows_.n_words() > 50'000, [&](std::size_t chunk, std::size_t worker) {
      if (stopped) return;
      try {
        if (worker == 0) poll_(done);
        const std::size_t from = begin + chunk * kChunk;
        parts[chunk] = extend_some(working, from, std::min(end, from + kChunk), scratch_[worker]);
      } catch (...) {
        stopped = true;
        throw;
      }
    });
    for (const Extended& part : parts) {
      good.insert(good.end(), part.good.begin(), part.good.end());
      next.append(part.next);
    }
    // Candidates wait for the end of their level, unless there are so many that they fill the memory.
    if (good.size() * sizeof(Good) > options_.max_bytes) accept(&working, good);
    if (next.size() > most) {
      std::vector<std::size_t> kept = by_quality(next.quality);
      n_cut += kept.size() - most;
      kept.resize(most);
      std::sort(kept.begin(), kept.end());
      next.keep(kept);
    }
    if (planned > 0) result_.length = next.length;
    result_.n_candidates += planned;
    begin = end;
  }
  accept(&working, good);
  if (n_cut)
    result_.cuts.push_back({SearchCut::Bound::memory, next.length, next.size(), next.size() + n_cut});
  return next;
}

Extended RuleSearcher::extend_some(const Working& working, std::size_t begin, std::size_t end,
                                   Scratch& scratch) const {
  Extended extended;
  extended.next.length = working.length + 1;
  // One more than there are basic rules: values without one are counted there.
  scratch.weights.resize((rows_.basics().size() + 1) * k());
  scratch.shares.resize(scratch.weights.size());
  scratch.sets.resize(static_cast<std::size_t>(working.length));
  for (auto& set : scratch.sets) set.resize(rows_.n_words());
  scratch.rule.clear();
  for (std::size_t i = begin; i < end; ++i) extend_one(working, i, scratch, extended);
  return extended;
}

void RuleSearcher::extend_one(const Working& working, std::size_t i, Scratch& scratch,
                              Extended& extended) const {
  const std::size_t first = rows_.later(working.last(i));
  if (first >= rows_.basics().size()) return;
  const Word* prefix = prefix_set(working, i, scratch);
  if (!can_cover(prefix, n_unmet(working.key[i]))) return;
  rows_.count(prefix, first, scratch.weights, scratch.shares);
  for (std::size_t b = first; b < rows_.basics().size(); ++b) {
    const BasicRule& basic = rows_.basics()[b];
    const double explored = std::min(working.key[i], basic.closing);
    const std::size_t open = n_unmet(explored);
    const double* weights = scratch.weights.data() + b * k();
    if (open == 0 || !rows_.supported(weights)) continue;
    const Quality quality = rows_.quality(weights, scratch.shares.data() + b * k());
    if (quality.value > options_.t_bad + kRounding) continue;
    const double closing = rows_.closing(weights, quality);
    const std::size_t meeting = n_unmet(closing);
    const auto label = static_cast<std::size_t>(quality.label);
    const std::size_t at = rows_.class_begin(label);
    for (std::size_t g = meeting; g < open; ++g) {
      // Most candidates of later levels cover nothing new: seen here, on all threads, it costs little.
      if (!meets_and(prefix + at, rows_.set(b) + at, uncovered_[g].data() + at, rows_.class_words(label)))
        continue;
      extended.good.push_back({i, static_cast<std::uint16_t>(b), static_cast<std::uint16_t>(meeting),
                               static_cast<std::uint16_t>(open), quality, weights[label]});
      break;
    }
    if (meeting > 0 && extended.next.length < options_.max_length && rows_.later(b) < rows_.basics().size()) {
      extended.next.add(working.rule(i), static_cast<std::uint16_t>(b), quality.value,
                        std::min(explored, closing));
    }
  }
}

// Rows of a working rule. Neighbours share their first conditions, so mostly one AND is enough.
const Word* RuleSearcher::prefix_set(const Working& working, std::size_t i, Scratch& scratch) const {
  const std::uint16_t* rule = working.rule(i);
  const auto length = static_cast<std::size_t>(working.length);
  std::size_t same = 0;
  while (same < scratch.rule.size() && scratch.rule[same] == rule[same]) ++same;
  for (std::size_t d = same; d < length; ++d) {
    const Word* own = rows_.set(rule[d]);
    Word* set = scratch.sets[d].data();
    if (d == 0) {
      std::copy_n(own, rows_.n_words(), set);
      continue;
    }
    const Word* above = scratch.sets[d - 1].data();
    for (std::size_t w = 0; w < rows_.n_words(); ++w) set[w] = above[w] & own[w];
  }
  scratch.rule.assign(rule, rule + length);
  return scratch.sets[length - 1].data();
}

// A rule is accepted for a row that was not covered before, and longer rules cover fewer rows: where all rows
// of a prefix are covered, nothing can come of it.
bool RuleSearcher::can_cover(const Word* prefix, std::size_t open) const {
  for (std::size_t g = 0; g < open; ++g) {
    if (meets_and(prefix, uncovered_[g].data(), rows_.n_words())) return true;
  }
  return false;
}

// Accepts what still covers a new row, and forgets the rest.
void RuleSearcher::accept(const Working* working, std::vector<Good>& good) {
  put_best_first(good);
  for (const Good& one : good) {
    if (working) {
      accept_one(working->rule(one.prefix), static_cast<std::size_t>(working->length), one);
    } else {
      accept_one(nullptr, 0, one);
    }
  }
  good.clear();
}

void RuleSearcher::accept_one(const std::uint16_t* prefix, std::size_t n_prefix, const Good& good) {
  const auto label = static_cast<std::size_t>(good.quality.label);
  const std::size_t own = rows_.class_begin(label), n_own = rows_.class_words(label);
  const std::size_t at = options_.mark_all ? 0 : own, n = options_.mark_all ? rows_.n_words() : n_own;
  std::vector<Word> covers;
  for (std::size_t g = good.first; g < good.last; ++g) {
    if (covers.empty()) {
      covers.assign(rows_.set(good.basic) + at, rows_.set(good.basic) + at + n);
      for (std::size_t d = 0; d < n_prefix; ++d) {
        const Word* set = rows_.set(prefix[d]) + at;
        for (std::size_t w = 0; w < n; ++w) covers[w] &= set[w];
      }
    }
    Word* uncovered = uncovered_[g].data() + at;
    if (!meets_and(covers.data() + (own - at), uncovered + (own - at), n_own)) continue;
    for (std::size_t w = 0; w < n; ++w) uncovered[w] &= ~covers[w];
    FoundRules& rules = result_.rules_at[g];
    const auto condition = [&](std::size_t b) {
      rules.feature.push_back(rows_.basics()[b].feature);
      rules.value.push_back(rows_.basics()[b].value);
    };
    for (std::size_t d = 0; d < n_prefix; ++d) condition(prefix[d]);
    condition(good.basic);
    rules.start.push_back(static_cast<std::int32_t>(rules.feature.size()));
    rules.label.push_back(good.quality.label);
    rules.quality.push_back(good.quality.value);
    const std::vector<double> weights = rows_.class_weights(prefix, n_prefix, good.basic);
    rules.class_weights.insert(rules.class_weights.end(), weights.begin(), weights.end());
  }
}

}  // namespace

RuleSearch search_rules(const Training& training, const std::vector<double>& class_costs,
                        const double* row_costs, const RuleOptions& options, const Poll& poll) {
  for (const Column& column : training.table->columns) {
    if (!column.nominal()) throw std::invalid_argument("rules are searched in nominal columns only");
  }
  return RuleSearcher(training, class_costs, row_costs, options, poll).run();
}

}  // namespace stakes::rules
