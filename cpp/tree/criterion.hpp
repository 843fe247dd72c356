// Pure functions: class weights in, score out.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace stakes::tree {

enum class Impurity { entropy, gini };

inline double xlog2x(double x) {
  return x > 0.0 ? x * std::log2(x) : 0.0;
}

// S log S - sum v log v: the entropy of `weights` times their sum.
inline double info(std::span<const double> weights) {
  double total = 0.0, inner = 0.0;
  for (const double weight : weights) {
    total += weight;
    inner += xlog2x(weight);
  }
  return xlog2x(total) - inner;
}

// Purity of one branch, so that gain = (sum of the branches' purity - purity of the whole) / weight.
// `inner` is the sum over classes of `class_term`.
template <Impurity kind>
double class_term(double weight) {
  if constexpr (kind == Impurity::entropy) {
    return xlog2x(weight);
  } else {
    return weight * weight;
  }
}

template <Impurity kind>
double purity(double inner, double total) {
  if constexpr (kind == Impurity::entropy) {
    return inner - xlog2x(total);
  } else {
    return total > 0.0 ? inner / total : 0.0;
  }
}

template <Impurity kind>
double purity_of(std::span<const double> weights) {
  double total = 0.0, inner = 0.0;
  for (const double weight : weights) {
    total += weight;
    inner += class_term<kind>(weight);
  }
  return purity<kind>(inner, total);
}

inline double purity_of(Impurity kind, std::span<const double> weights) {
  return kind == Impurity::entropy ? purity_of<Impurity::entropy>(weights)
                                   : purity_of<Impurity::gini>(weights);
}

}  // namespace stakes::tree
