#include "adassl/nn/norm_relu_function.h"

#include <memory>
#include <utility>

#include "adassl/nn/tensors.h"

/// Connects the kernels of kernels/norm_relu.h, which contain the formulas, to the autograd graph.
/// x, y, shortcut and their gradients are [N, C, H, W] in channels-last memory. For the kernels,
/// they are matrices [N H W, C]. gain and shift are [C].
namespace adassl::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

constexpr double kEpsilon = BatchNorm::kEpsilon;

kernels::Rows rows_of(const Tensor& x) { return {x.size(0) * x.size(2) * x.size(3), x.size(1)}; }

/// The values that the backward pass needs in addition to the saved tensors.
struct Kept : torch::CustomClassHolder {
  kernels::NormStatistics statistics;
  kernels::ChannelMap map;
};
using KeptPtr = c10::intrusive_ptr<Kept>;

const Kept& kept_by(AutogradContext* context) {
  return static_cast<const Kept&>(*context->saved_data["kept"].toCapsule());
}

/// Memory for the gradients of x, gain and shift.
struct Gradients {
  explicit Gradients(const Tensor& of)
      : x(torch::empty_like(of)),
        gain(torch::empty({of.size(1)}, of.options())),
        shift(torch::empty({of.size(1)}, of.options())) {}
  kernels::NormGradients places() const {
    return {x.data_ptr<float>(), gain.data_ptr<float>(), shift.data_ptr<float>()};
  }
  Tensor x, gain, shift;  // [N, C, H, W], [C], [C]
};

Tensor channels_last(const Tensor& x) { return x.contiguous(torch::MemoryFormat::ChannelsLast); }

/// y = norm(x), or relu(norm(x)) if `relu`. The backward pass recomputes the ReLU's mask from x.
class NormRelu : public Function<NormRelu> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& gain,
                        const Tensor& shift, const KeptPtr& kept, bool relu) {
    context->save_for_backward({x});
    context->saved_data["kept"] = c10::IValue::make_capsule(kept);
    context->saved_data["relu"] = relu;
    kept->map = kernels::channel_map(kept->statistics, floats(gain), floats(shift), kEpsilon);
    Tensor y = torch::empty_like(x);
    const auto run = relu ? &kernels::norm_relu : &kernels::norm;
    run(rows_of(x), x.data_ptr<float>(), kept->map, y.data_ptr<float>());
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    require_first_derivative("norm_relu");
    const Tensor x = context->get_saved_variables()[0];
    const Kept& kept = kept_by(context);
    const Tensor dy = channels_last(gradients[0]);
    const Gradients out(x);
    const auto run = context->saved_data["relu"].toBool() ? &kernels::norm_relu_backward
                                                          : &kernels::norm_backward;
    run(rows_of(x), x.data_ptr<float>(), dy.data_ptr<float>(), kept.statistics, kept.map, kEpsilon,
        out.places());
    return {out.x, out.gain, out.shift, Tensor(), Tensor()};
  }
};

/// y = relu(norm(x) + shortcut). The backward pass takes the mask of the ReLU from y.
class NormAddRelu : public Function<NormAddRelu> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& gain,
                        const Tensor& shift, const Tensor& shortcut, const KeptPtr& kept) {
    kept->map = kernels::channel_map(kept->statistics, floats(gain), floats(shift), kEpsilon);
    Tensor y = torch::empty_like(x);
    kernels::norm_add_relu(rows_of(x), x.data_ptr<float>(), kept->map, shortcut.data_ptr<float>(),
                           y.data_ptr<float>());
    context->save_for_backward({x, y});
    context->saved_data["kept"] = c10::IValue::make_capsule(kept);
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    require_first_derivative("norm_add_relu");
    const variable_list saved = context->get_saved_variables();
    const Tensor &x = saved[0], &y = saved[1];
    const Kept& kept = kept_by(context);
    const Tensor dy = channels_last(gradients[0]);
    const Gradients out(x);
    Tensor dshortcut = torch::empty_like(x);
    kernels::norm_add_relu_backward(rows_of(x), x.data_ptr<float>(), y.data_ptr<float>(),
                                    dy.data_ptr<float>(), kept.statistics, kept.map, kEpsilon,
                                    out.places(), dshortcut.data_ptr<float>());
    return {out.x, out.gain, out.shift, dshortcut, Tensor()};
  }
};

/// y = max_pool(relu(norm(x))). Of the activations, only which one each window took is kept.
class NormReluPool : public Function<NormReluPool> {
 public:
  struct Sizes : torch::CustomClassHolder {
    kernels::PoolSizes pool;
  };

  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& gain,
                        const Tensor& shift, const KeptPtr& kept, const kernels::PoolSizes& pool) {
    kept->map = kernels::channel_map(kept->statistics, floats(gain), floats(shift), kEpsilon);
    Tensor y = torch::empty({pool.images, pool.channels, pool.out_height(), pool.out_width()},
                            x.options().memory_format(torch::MemoryFormat::ChannelsLast));
    const Tensor taps = torch::empty({y.numel()}, x.options().dtype(torch::kUInt8));
    kernels::relu_pool(pool, x.data_ptr<float>(), kept->map, y.data_ptr<float>(),
                       taps.data_ptr<uint8_t>());
    context->save_for_backward({x});
    context->saved_data["taps"] = taps;
    context->saved_data["kept"] = c10::IValue::make_capsule(kept);
    auto sizes = c10::make_intrusive<Sizes>();
    sizes->pool = pool;
    context->saved_data["sizes"] = c10::IValue::make_capsule(sizes);
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    require_first_derivative("norm_relu_pool");
    const Tensor x = context->get_saved_variables()[0];
    const auto& sizes = static_cast<const Sizes&>(*context->saved_data["sizes"].toCapsule());
    const Kept& kept = kept_by(context);
    const Tensor dy = channels_last(gradients[0]);
    const Gradients out(x);
    float* const g = out.x.data_ptr<float>();  // becomes the gradient of x in place
    kernels::relu_pool_backward(sizes.pool, dy.data_ptr<float>(),
                                context->saved_data["taps"].toTensor().data_ptr<uint8_t>(), g);
    kernels::norm_backward(rows_of(x), x.data_ptr<float>(), g, kept.statistics, kept.map, kEpsilon,
                           out.places());
    return {out.x, out.gain, out.shift, Tensor(), Tensor()};
  }
};

/// Whether the kernels can process x. In training mode, they need more than one value per channel.
/// In evaluation mode, they have no gradients.
bool covers(const Tensor& x, const BatchNorm& norm, const Compute& compute) {
  if (!compute.fuses(x) || !compute.fuses(norm.weight) || x.dim() != 4) return false;
  if (x.numel() == 0 || !x.is_contiguous(torch::MemoryFormat::ChannelsLast)) return false;
  return norm.is_training() ? x.numel() > x.size(1) : !torch::GradMode::is_enabled();
}

/// The statistics that normalise x. In training mode, they are those of the batch, and the running
/// statistics are updated with them. In evaluation mode, they are the running statistics.
KeptPtr statistics_for(const Tensor& x, BatchNorm& norm) {
  auto kept = c10::make_intrusive<Kept>();
  if (!norm.is_training()) {
    kept->statistics = running_statistics(norm);
    return kept;
  }
  const kernels::Rows rows = rows_of(x);
  kept->statistics = kernels::statistics(rows, x.data_ptr<float>());
  norm.follow(kept->statistics.mean, kept->statistics.variance, rows.rows);
  return kept;
}

}  // namespace

kernels::NormStatistics running_statistics(const BatchNorm& norm) {
  const auto mean = floats(norm.running_mean);
  const auto variance = floats(norm.running_var);
  return {{mean.begin(), mean.end()}, {variance.begin(), variance.end()}};
}

Tensor plain_norm(const Tensor& x, BatchNorm& norm, const Compute& compute) {
  if (!covers(x, norm, compute)) return norm.forward(x);
  return NormRelu::apply(x, norm.weight, norm.bias, statistics_for(x, norm), /*relu=*/false);
}

Tensor norm_relu(const Tensor& x, BatchNorm& norm, const Compute& compute) {
  if (!covers(x, norm, compute)) return norm.forward(x).relu_();
  return NormRelu::apply(x, norm.weight, norm.bias, statistics_for(x, norm), /*relu=*/true);
}

Tensor norm_add_relu(const Tensor& x, BatchNorm& norm, const Tensor& shortcut,
                     const Compute& compute) {
  if (!covers(x, norm, compute) || !compute.fuses(shortcut) || shortcut.sizes() != x.sizes() ||
      !shortcut.is_contiguous(torch::MemoryFormat::ChannelsLast)) {
    return norm.forward(x).add(shortcut).relu_();
  }
  return NormAddRelu::apply(x, norm.weight, norm.bias, shortcut, statistics_for(x, norm));
}

Tensor norm_relu_pool(const Tensor& x, BatchNorm& norm, const kernels::PoolSizes& window,
                      const Compute& compute) {
  if (!covers(x, norm, compute)) {
    return torch::max_pool2d(norm_relu(x, norm, compute), window.kernel, window.stride,
                             window.padding);
  }
  kernels::PoolSizes pool = window;
  pool.images = x.size(0);
  pool.channels = x.size(1);
  pool.height = x.size(2);
  pool.width = x.size(3);
  return NormReluPool::apply(x, norm.weight, norm.bias, statistics_for(x, norm), pool);
}

}  // namespace adassl::nn
