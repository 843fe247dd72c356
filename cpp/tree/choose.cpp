// Which column's split wins: gain, gain ratio, and the criteria that weigh gain against price.
#include <cmath>

#include "tree/split.hpp"

namespace stakes::tree {

namespace {

constexpr double kEpsilon = 1e-3;  // C4.5's slack when gains are compared with their average
constexpr double kJ48Slack = 1e-6;
constexpr double kRejected = -std::numeric_limits<double>::infinity();
constexpr double kTinyPrice = 1e-9;  // stands for nothing where a criterion divides by the price

// Davis et al.: what a split adds to the tree's information, less gamma times what it adds to its price.
// A split that costs something must earn it, unless the options say otherwise.
double less_price(const GrowOptions& options, double information, double price) {
  const double lost = options.gamma * price, score = information - lost;
  return !options.split_at_loss && lost > 0.0 && score <= 0.0 ? kRejected : score;
}

// Ratios are compared by their logarithm: gamma may be a million.
double log_ratio(double log_gain, double exponent, double price) {
  return log_gain - (exponent > 0.0 ? exponent * std::log(price) : 0.0);
}

double worth(const Learning& learning, const Sample& sample, const Split& split, double average_gain,
             double price) {
  const GrowOptions& options = learning.options;
  if (options.min_gain > 0.0 && split.gain < options.min_gain) return kRejected;
  if (options.ratio()) {
    const double least_info = options.dialect == Dialect::j48 ? kJ48Slack : kEpsilon;
    if (split.gain < average_gain - kEpsilon || split.split_info <= least_info) return kRejected;
  } else if (split.split_info <= 0.0) {
    return kRejected;
  }
  const double share = sample.weight / learning.total_weight;
  if (options.judge) return options.judge({split.gain, split.split_info, price, share, options.gamma});
  switch (options.criterion) {
    case Criterion::gain_ratio:
      return split.gain / split.split_info;
    case Criterion::gain:
    case Criterion::gini:
      return split.gain;
    case Criterion::cs_gain:
      return less_price(options, share * split.gain, price);
    case Criterion::cs_gain_ratio: {
      const double own = options.ratio_of_candidate ? split.split_info : 1.0;
      return less_price(options, share * sample.path_ratio * split.gain / own, price);
    }
    case Criterion::mitchell:
      return less_price(options, split.gain, price);
    case Criterion::nunez:
      return split.gain > 0.0 ? log_ratio(std::log(std::exp2(split.gain) - 1.0), options.gamma, price + 1.0)
                              : kRejected;
    case Criterion::norton:
      return split.gain > 0.0 ? log_ratio(std::log(split.gain), options.gamma, std::max(price, kTinyPrice))
                              : kRejected;
    case Criterion::tan:
      return split.gain > 0.0 ? log_ratio(2.0 * std::log(split.gain), 1.0, std::max(price, kTinyPrice))
                              : kRejected;
  }
  return kRejected;
}

// Whether a worth may be negative without being bad.
bool any_sign(const GrowOptions& options) {
  const Criterion criterion = options.criterion;
  const bool additive = criterion == Criterion::cs_gain || criterion == Criterion::cs_gain_ratio ||
                        criterion == Criterion::mitchell;
  return options.judge || criterion == Criterion::nunez || criterion == Criterion::norton ||
         criterion == Criterion::tan || (additive && options.split_at_loss);
}

// Whether the tree, and the path through this node, can pay for the column.
bool affordable(const Learning& learning, const Sample& sample, const Bought& bought, std::size_t column) {
  const GrowOptions& options = learning.options;
  // Sums of prices miss by rounding; a limit that is met exactly is met.
  const auto within = [](double cost, double limit) { return cost <= limit * (1.0 + 1e-12) + 1e-12; };
  return within(bought.most + bought.paid.marginal_at_most(learning.prices, column),
                options.max_upfront_cost) &&
         within(sample.path_most + sample.paid.marginal_at_most(learning.prices, column),
                options.max_path_cost);
}

}  // namespace

Split choose(const Learning& learning, const Sample& sample, const Bought& bought,
             std::vector<Split>& splits) {
  const bool j48 = learning.options.dialect == Dialect::j48;
  const auto in_play = [&](const Split& split) {
    return split.usable && split.gain > -kEpsilon &&
           affordable(learning, sample, bought, static_cast<std::size_t>(split.feature));
  };
  double gain_sum = 0.0, n_counted = 0.0;
  for (const Split& split : splits) {
    if (!in_play(split)) continue;
    if (learning.many_valued(static_cast<std::size_t>(split.feature)) && !learning.all_many_valued) continue;
    gain_sum += split.gain;
    n_counted += 1.0;
  }
  // Where only columns of very many values are usable, both programs make no split by gain ratio.
  const double average = n_counted > 0.0 ? gain_sum / n_counted : std::numeric_limits<double>::infinity();
  // C4.5 lets a split of no gain win (collapsing removes it if it stays useless), J48 does not.
  double best_worth = j48 ? 0.0 : -kEpsilon;
  if (any_sign(learning.options)) best_worth = kRejected;
  const double improvement = j48 ? kJ48Slack : 0.0;
  const bool reuse_free = learning.options.reuse_free;
  const Paid nothing = reuse_free ? Paid() : Paid(learning.prices);
  const Paid& counted = reuse_free ? bought.paid : nothing;
  Split* best = nullptr;
  for (Split& split : splits) {
    if (!in_play(split)) continue;
    const double price = counted.marginal(learning.prices, static_cast<std::size_t>(split.feature));
    const double value = worth(learning, sample, split, average, price);
    if (value > best_worth + improvement) {
      best_worth = value;
      best = &split;
    }
  }
  return best ? std::move(*best) : Split{};
}

}  // namespace stakes::tree
