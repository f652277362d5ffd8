#pragma once

#include <string>
#include <vector>

#include "adassl/nn/torch.h"

/// Which of two implementations runs: kernels of our own that do many operations in one pass, or
/// LibTorch's operations one by one. Both compute the same formulas; the latter define them, work
/// in any precision and on any device, and are what the former are tested against.
namespace adassl::nn {

enum class Kernels {
  kFused,      // where they cover the case, else the reference
  kReference,  // LibTorch's operations only
};

/// Of the operands of convolutions and of wide linear maps by kernels of our own. Sums and
/// parameters are float32.
enum class Precision { kFloat32, kBfloat16 };
/// For the whole process; kFloat32 at first.
void use_precision(Precision precision);
Precision precision();

/// For the whole process; kFused at first.
void use_kernels(Kernels kernels);
/// The same, with so many threads. Beside kernels of our own LibTorch gets one: what is left to it
/// is too small to share, and its sums must not depend on the number of threads. Unless a part of
/// the model falls back on it; then both have all.
void use_kernels(Kernels kernels, int threads, bool falls_back);
/// Whether kernels of our own are wanted.
bool fused();
/// Whether they can read this tensor: float32, in the CPU's memory.
bool fused_covers(const Tensor& tensor);

/// To be asked by the backward passes of kernels: LibTorch would take their gradients for
/// constants, and second derivatives for zero.
void require_first_derivative(const char* where);

/// Uses these kernels while it lives; then those that were.
class WithKernels {
 public:
  explicit WithKernels(Kernels kernels);
  ~WithKernels();
  WithKernels(const WithKernels&) = delete;
  WithKernels& operator=(const WithKernels&) = delete;

 private:
  Kernels before_;
};

/// The same for a precision.
class WithPrecision {
 public:
  explicit WithPrecision(Precision precision);
  ~WithPrecision();
  WithPrecision(const WithPrecision&) = delete;
  WithPrecision& operator=(const WithPrecision&) = delete;

 private:
  Precision before_;
};

/// What was left to the reference although kernels of our own are wanted, and why: one line for
/// each cause, kept once however often it is noted.
void note_fallback(const std::string& line);
/// The lines since the last call, in the order in which they came; from now on there are none.
std::vector<std::string> take_fallback_notes();

}  // namespace adassl::nn
