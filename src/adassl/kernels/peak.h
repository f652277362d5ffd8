#pragma once

namespace adassl::kernels {

/// The most float32 operations a second that this machine does, in GFLOP/s: multiply-adds that wait
/// for nothing but their own registers, by the instruction set and the threads that kernels use
/// now. The best of several tries, a twentieth of a second in all.
double peak_gflops();

/// The same of the products that convolutions are made of, with operands in the nearest cache.
double product_peak_gflops();

}  // namespace adassl::kernels
