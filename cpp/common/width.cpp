#include "common/width.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace stakes {

namespace {

Width widest() {
#ifdef STAKES_X86
  __builtin_cpu_init();
  const bool popcnt = __builtin_cpu_supports("popcnt");
  const bool avx2 = popcnt && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512vpopcntdq");
  if (avx2) return avx512 ? Width::kAvx512 : Width::kAvx2;
  if (popcnt) return Width::kPopcnt;
#endif
  return Width::kPlain;
}

Width asked() {
  const char* value = std::getenv("STAKES_INSTRUCTIONS");
  const std::string_view name = value == nullptr ? "" : value;
  if (name == "plain") return Width::kPlain;
  if (name == "popcnt") return Width::kPopcnt;
  return name == "avx2" ? Width::kAvx2 : Width::kAvx512;
}

}  // namespace

Width width() {
  static const Width width = std::min(widest(), asked());
  return width;
}

}  // namespace stakes
