#pragma once

namespace adassl::kernels {

/// Measures the peak rate of float32 operations in GFLOP/s: multiply-adds whose operands are in
/// registers, with the instruction set and the threads that kernels currently use. Returns the best
/// of several tries, which take a twentieth of a second in all.
double peak_gflops();

/// The same for the bfloat16 products of convolutions, with operands in the first-level cache.
double product_peak_gflops();

}  // namespace adassl::kernels
