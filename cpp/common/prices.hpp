// What looking costs: resources with prices, which of them a column needs, and what is paid already.
#pragma once

#include <cstdint>
#include <vector>

namespace stakes {

// A resource costs `price`, or `later_price` once another resource of its group has been paid for.
struct Resource {
  double price = 0.0;
  double later_price = 0.0;
  std::int32_t group = -1;  // -1: none
};

struct Prices {
  std::vector<Resource> resources;
  std::int32_t n_groups = 0;
  std::vector<std::vector<std::int32_t>> needed;  // by column: resources that reading it takes

  bool empty() const { return resources.empty(); }
};

// What has been paid for so far.
class Paid {
 public:
  Paid() = default;
  explicit Paid(const Prices& prices) : resource_(prices.resources.size(), 0), group_(prices.n_groups, 0) {}

  // What reading the column would add to the cost.
  double marginal(const Prices& prices, std::size_t column) const {
    if (prices.empty()) return 0.0;
    double price = 0.0;
    const std::vector<std::int32_t>& needed = prices.needed[column];
    for (std::size_t i = 0; i < needed.size(); ++i) {
      if (resource_[needed[i]]) continue;
      const Resource& resource = prices.resources[needed[i]];
      // A column may need two resources of one group; the first of them opens it for the second.
      bool later = resource.group >= 0 && group_[resource.group];
      for (std::size_t j = 0; j < i && resource.group >= 0; ++j) {
        later = later || prices.resources[needed[j]].group == resource.group;
      }
      price += later ? resource.later_price : resource.price;
    }
    return price;
  }

  // The same without discounts: what it adds at most, whatever is pruned away before it later.
  double marginal_at_most(const Prices& prices, std::size_t column) const {
    double price = 0.0;
    if (prices.empty()) return price;
    for (const std::int32_t r : prices.needed[column]) {
      if (!resource_[r]) price += prices.resources[r].price;
    }
    return price;
  }

  void pay(const Prices& prices, std::size_t column) {
    if (prices.empty()) return;
    for (const std::int32_t r : prices.needed[column]) {
      resource_[r] = 1;
      if (prices.resources[r].group >= 0) group_[prices.resources[r].group] = 1;
    }
  }

 private:
  std::vector<std::uint8_t> resource_, group_;
};

}  // namespace stakes
