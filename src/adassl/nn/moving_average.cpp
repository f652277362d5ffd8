#include "adassl/nn/moving_average.h"

#include <span>

#include "adassl/kernels/follow.h"

namespace adassl::nn {

void follow(const Tensor& values, Tensor average, double momentum, const Compute& compute) {
  const torch::NoGradGuard no_grad;
  if (compute.fuses(values) && compute.fuses(average) && values.is_contiguous() &&
      average.is_contiguous()) {
    const auto span = [](const Tensor& of) {
      return std::span(of.data_ptr<float>(), static_cast<size_t>(of.numel()));
    };
    kernels::follow(span(values), span(average), momentum);
    // The kernel wrote to memory directly. Autograd must know that the tensor has changed.
    average.unsafeGetTensorImpl()->bump_version();
  } else {
    // lerp_: average + (1 - momentum) (values - average).
    average.lerp_(values, 1 - momentum);
  }
}

}  // namespace adassl::nn
