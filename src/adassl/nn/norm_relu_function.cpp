#include "adassl/nn/norm_relu_function.h"

#include <memory>
#include <utility>

#include "adassl/nn/fused.h"
#include "adassl/nn/tensors.h"

namespace adassl::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

constexpr double kEpsilon = BatchNorm::kEpsilon;

kernels::Rows rows_of(const Tensor& x) { return {x.size(0) * x.size(2) * x.size(3), x.size(1)}; }

/// What the backward pass wants besides the saved tensors.
struct Kept : torch::CustomClassHolder {
  kernels::NormStatistics statistics;
  kernels::ChannelMap map;
};

class NormRelu : public Function<NormRelu> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& gain,
                        const Tensor& shift, const c10::intrusive_ptr<Kept>& kept) {
    context->save_for_backward({x});
    context->saved_data["kept"] = c10::IValue::make_capsule(kept);
    kept->map = kernels::channel_map(kept->statistics, floats(gain), floats(shift), kEpsilon);
    Tensor y = torch::empty_like(x);
    kernels::norm_relu(rows_of(x), x.data_ptr<float>(), kept->map, y.data_ptr<float>());
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    require_first_derivative("norm_relu");
    const Tensor x = context->get_saved_variables()[0];
    const auto capsule = context->saved_data["kept"].toCapsule();
    const auto& kept = static_cast<const Kept&>(*capsule);
    const Tensor dy = gradients[0].contiguous(torch::MemoryFormat::ChannelsLast);
    Tensor dx = torch::empty_like(x);
    Tensor dgain = torch::empty({x.size(1)});
    Tensor dshift = torch::empty({x.size(1)});
    kernels::norm_relu_backward(
        rows_of(x), x.data_ptr<float>(), dy.data_ptr<float>(), kept.statistics, kept.map, kEpsilon,
        {dx.data_ptr<float>(), dgain.data_ptr<float>(), dshift.data_ptr<float>()});
    return {dx, dgain, dshift, Tensor()};
  }
};

bool covers(const Tensor& x, const BatchNorm& norm) {
  if (!fused() || !fused_covers(x) || !fused_covers(norm.weight) || x.dim() != 4) return false;
  if (x.numel() == 0 || !x.is_contiguous(torch::MemoryFormat::ChannelsLast)) return false;
  return norm.is_training() ? x.numel() > x.size(1) : !torch::GradMode::is_enabled();
}

}  // namespace

kernels::NormStatistics running_statistics(const BatchNorm& norm) {
  const auto mean = floats(norm.running_mean);
  const auto variance = floats(norm.running_var);
  return {{mean.begin(), mean.end()}, {variance.begin(), variance.end()}};
}

Tensor norm_relu(const Tensor& x, BatchNorm& norm) {
  if (!covers(x, norm)) return norm.forward(x).relu_();
  auto kept = c10::make_intrusive<Kept>();
  if (!norm.is_training()) {
    kept->statistics = running_statistics(norm);
    return NormRelu::apply(x, norm.weight, norm.bias, kept);
  }
  const kernels::Rows rows = rows_of(x);
  kept->statistics = kernels::statistics(rows, x.data_ptr<float>());
  norm.follow(kept->statistics.mean, kept->statistics.variance, rows.rows);
  return NormRelu::apply(x, norm.weight, norm.bias, kept);
}

}  // namespace adassl::nn
