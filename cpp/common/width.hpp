// How wide instructions may be on this processor, for kernels that are compiled for several widths.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define STAKES_X86 1
#endif

namespace stakes {

enum class Width { kPlain, kPopcnt, kAvx2, kAvx512 };

// The widest that this processor has. STAKES_INSTRUCTIONS=plain, popcnt or avx2 asks for less, so that a
// test, or a user who doubts a figure, can compare: results do not depend on it.
Width width();

}  // namespace stakes
