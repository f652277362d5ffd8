#pragma once

/// How a kernel is written (docs: Highway's "quick reference"). One .cpp file is compiled several
/// times, once for each instruction set below, and the best one that the machine has is chosen at
/// run time:
///
///     #undef HWY_TARGET_INCLUDE
///     #define HWY_TARGET_INCLUDE "adassl/kernels/<this file>.cpp"
///     #include "adassl/kernels/simd.h"  // first: it selects the targets
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

// Kernels are compiled for the baseline, AVX2 with FMA, and AVX-512. The instruction sets in
// between gain little and take long to compile.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)

#include <string>
#include <vector>

namespace adassl::kernels {

/// The instruction sets of this machine to which kernels can be limited, in ascending order, out of
/// "baseline", "avx2", "avx512", "avx512_bf16" and "amx". The last two affect only products of
/// bfloat16 (convolution/unit.h); for everything else they are the same as avx512.
std::vector<std::string> instruction_sets();

/// The instruction set in use: the best one of the machine, or the one that the environment
/// variable ADASSL_SIMD names.
std::string instruction_set();

/// Switches to this instruction set; throws Error if the machine does not have it. For tests and
/// comparisons.
void use_instruction_set(const std::string& name);

/// Makes the initial choice, which reads ADASSL_SIMD. Only the first call has an effect.
void choose_instruction_set();

}  // namespace adassl::kernels

#define ADASSL_DISPATCH(function) \
  (::adassl::kernels::choose_instruction_set(), HWY_DYNAMIC_DISPATCH(function))
