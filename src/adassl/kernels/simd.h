#pragma once

/// How a kernel is written (docs: Highway's "quick reference"). One .cpp file is compiled several
/// times, once for each instruction set below, and the best one that the machine has is chosen at
/// run time:
///
///     #undef HWY_TARGET_INCLUDE
///     #define HWY_TARGET_INCLUDE "adassl/kernels/<this file>.cpp"
///     #include "adassl/kernels/simd.h"  // first: it says for which targets
///     #include <hwy/foreach_target.h>   // compiles this file for each
///     #include <hwy/highway.h>
///
///     HWY_BEFORE_NAMESPACE();
///     namespace adassl::kernels::HWY_NAMESPACE {
///     void double_all(std::span<float> values) { ... Load, Mul, Store ... }
///     }
///     HWY_AFTER_NAMESPACE();
///
///     #if HWY_ONCE
///     namespace adassl::kernels {
///     HWY_EXPORT(double_all);
///     void double_all(std::span<float> values) { ADASSL_DISPATCH(double_all)(values); }
///     }
///     #endif

// The baseline, AVX2 with FMA, AVX-512: what lies between is worth little and takes long to
// compile.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)

#include <string>
#include <vector>

namespace adassl::kernels {

/// The instruction sets that kernels may be limited to, from the least: "baseline", "avx2",
/// "avx512", "avx512_bf16", "amx". Those that this machine has. The last two matter to products of
/// bfloat16 alone (convolution/unit.h); to all else they are avx512.
std::vector<std::string> instruction_sets();

/// The one in use: the machine's best, or what ADASSL_SIMD names in the environment.
std::string instruction_set();

/// From now on use this one; Error when the machine does not have it. For tests and comparisons.
void use_instruction_set(const std::string& name);

/// Reads ADASSL_SIMD, once.
void choose_instruction_set();

}  // namespace adassl::kernels

#define ADASSL_DISPATCH(function) \
  (::adassl::kernels::choose_instruction_set(), HWY_DYNAMIC_DISPATCH(function))
