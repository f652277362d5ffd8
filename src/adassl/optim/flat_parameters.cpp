#include "adassl/optim/flat_parameters.h"

namespace adassl::optim {

FlatParameters::FlatParameters(torch::nn::Module& module) {
  const torch::NoGradGuard no_grad;
  int64_t total = 0;
  for (const auto& item : module.named_parameters()) {
    if (!item.value().requires_grad()) continue;
    parameters.push_back(item.value());
    slices.push_back({item.key(), total, item.value().sizes().vec(), item.value().dim() != 1});
    total += item.value().numel();
  }
  values = parameters.empty() ? torch::zeros({0}, torch::kFloat32)
                              : torch::empty({total}, parameters[0].options());
  values = values.detach();
  gradients = torch::zeros_like(values);
  for (size_t i = 0; i < parameters.size(); ++i) {
    part(values, slices[i]).copy_(parameters[i]);
    parameters[i].set_data(part(values, slices[i]));
    parameters[i].mutable_grad() = part(gradients, slices[i]);
  }
}

void FlatParameters::changed() const {
  for (const Tensor& parameter : parameters) parameter.unsafeGetTensorImpl()->bump_version();
}

Tensor FlatParameters::part(const Tensor& flat, const Slice& slice) {
  int64_t count = 1;
  for (const int64_t extent : slice.shape) count *= extent;
  return flat.narrow(0, slice.offset, count).view(slice.shape);
}

}  // namespace adassl::optim
