#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adassl/nn/torch.h"

namespace adassl::nn {

/// Which of two implementations runs. Both compute the same formulas. The reference defines them,
/// in any precision and on any device; the fused kernels are tested against it.
enum class Kernels {
  kFused,      // our own kernels where they cover the case, otherwise the reference
  kReference,  // LibTorch's operations only
};

/// The type of the operands of convolutions and of wide linear layers in our own kernels. Sums and
/// parameters are always float32.
enum class Precision { kFloat32, kBfloat16 };

/// How a model computes. It is passed down when a model is built, and its parts keep it: two models
/// that compute differently can live in one process.
struct Compute {
  Kernels kernels = Kernels::kFused;
  Precision precision = Precision::kFloat32;
  int threads = 1;
  torch::Device device = torch::kCPU;
  /// Which requests are left to the reference, and why. Parts add to it while they are built.
  std::vector<std::string> fallbacks = {};

  bool fused() const { return kernels == Kernels::kFused; }
  /// Whether our own kernels run on this tensor: they are requested and can read it.
  bool fuses(const Tensor& tensor) const;
  /// Whether products are made of bfloat16: it is requested, and this machine gains by it.
  bool multiplies_in_bf16() const;
  /// Adds a line to `fallbacks`, unless it is there already or the reference is requested anyway.
  void note_fallback(const std::string& line);
};

/// Whether our own kernels can read this tensor: float32, in the memory of the CPU.
bool in_cpu_floats(const Tensor& tensor);

/// Shared by the parts of one model.
using ComputePtr = std::shared_ptr<Compute>;

/// The default: fused kernels, float32, one thread, on the CPU.
inline ComputePtr default_compute() { return std::make_shared<Compute>(); }

/// The same with LibTorch's operations.
inline ComputePtr reference_compute() {
  return std::make_shared<Compute>(Compute{.kernels = Kernels::kReference});
}

/// Gives the process the number of threads that this computation wants. LibTorch and our kernels
/// each have one pool for the whole process, so whoever starts to compute with a model calls this.
/// While our kernels are in use, LibTorch gets one thread: the work that remains for it is too
/// small to share, and its sums would depend on the number of threads. If a part of the model falls
/// back on LibTorch, both pools get all threads.
void use_threads(const Compute& compute);

}  // namespace adassl::nn
