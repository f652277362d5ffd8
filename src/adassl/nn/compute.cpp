#include "adassl/nn/compute.h"

#include <algorithm>

#include "adassl/kernels/simd.h"
#include "adassl/kernels/threads.h"

namespace adassl::nn {

bool in_cpu_floats(const Tensor& tensor) {
  return tensor.defined() && tensor.scalar_type() == torch::kFloat32 && tensor.device().is_cpu() &&
         tensor.layout() == torch::kStrided;
}

bool Compute::fuses(const Tensor& tensor) const { return fused() && in_cpu_floats(tensor); }

bool Compute::multiplies_in_bf16() const {
  if (!fused() || precision != Precision::kBfloat16) return false;
  const std::string set = kernels::instruction_set();
  return set != "baseline" && set != "avx2";
}

void Compute::note_fallback(const std::string& line) {
  if (!fused() || std::ranges::find(fallbacks, line) != fallbacks.end()) return;
  fallbacks.push_back(line);
}

void use_threads(const Compute& compute) {
  // The first call tests the CPU in a child process. Do this before other threads exist.
  kernels::instruction_set();
  kernels::set_threads(compute.fused() ? compute.threads : 1);
  const int libtorch = compute.fused() ? 1 : compute.threads;
  // Avoid needless calls: each one starts threads that spin for about 25 ms before they sleep.
  if (at::get_num_threads() != libtorch) at::set_num_threads(libtorch);
}

}  // namespace adassl::nn
