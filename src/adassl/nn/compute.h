#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adassl/nn/torch.h"

/// The settings that decide how a model computes: which kernels, which precision, how many threads
/// and which device.
namespace adassl::nn {

/// Which of two implementations runs. Both compute the same formulas. The reference defines them,
/// in any precision and on any device. The fused kernels are tested against the reference.
enum class Kernels {
  kFused,      // our own kernels where they cover the case, otherwise the reference
  kReference,  // LibTorch's operations only
};

/// The type of the operands of convolutions and of wide linear layers in our own kernels. Sums and
/// parameters are always float32.
enum class Precision { kFloat32, kBfloat16 };

/// How a model computes. It is passed down when a model is built, and every part keeps it, so that
/// two models with different settings can exist in one process.
struct Compute {
  Kernels kernels = Kernels::kFused;
  Precision precision = Precision::kFloat32;
  int threads = 1;
  torch::Device device = torch::kCPU;
  /// Messages about parts that use LibTorch although fused kernels were requested, with the reason.
  /// Parts add them while they are built.
  std::vector<std::string> fallbacks = {};

  bool fused() const { return kernels == Kernels::kFused; }
  /// Whether our own kernels process this tensor: they are requested, and they can read it.
  bool fuses(const Tensor& tensor) const;
  /// Whether matrix products use bfloat16 operands: it is requested together with fused kernels,
  /// and the instruction set in use makes it faster than float32.
  bool multiplies_in_bf16() const;
  /// Adds a line to `fallbacks`. Does nothing if the line is already present, or if the reference
  /// was requested, because then nothing is a fallback.
  void note_fallback(const std::string& line);
};

/// Whether our own kernels can read this tensor: it is a dense float32 tensor in CPU memory.
bool in_cpu_floats(const Tensor& tensor);

/// All parts of one model share one Compute.
using ComputePtr = std::shared_ptr<Compute>;

/// The default settings: fused kernels, float32, one thread, CPU.
inline ComputePtr default_compute() { return std::make_shared<Compute>(); }

/// The default settings with LibTorch's operations instead of fused kernels.
inline ComputePtr reference_compute() {
  return std::make_shared<Compute>(Compute{.kernels = Kernels::kReference});
}

/// Sets the number of threads of the process to that of `compute`. LibTorch and our kernels each
/// have one thread pool per process, so code that starts to compute with a model calls this first.
/// With fused kernels, LibTorch gets one thread: its sums would depend on the number of threads.
/// Its convolutions run on our threads (nn/shared_convolution.h), its matrix products have one
/// thread in any case, and what else remains for it is too small to divide.
void use_threads(const Compute& compute);

}  // namespace adassl::nn
