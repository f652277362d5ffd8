#include "adassl/nn/convolution_stack.h"

#include <cmath>
#include <string>
#include <utility>

#include <torch/csrc/autograd/functions/utils.h>

#include "adassl/kernels/convolution/convolution.h"
#include "adassl/kernels/convolution/passes.h"
#include "adassl/kernels/simd.h"
#include "adassl/nn/fused.h"
#include "adassl/nn/norm_relu_function.h"
#include "adassl/nn/tensors.h"

namespace adassl::nn {
namespace {

using kernels::Bf16;
using kernels::ChannelMap;
using kernels::ConvolutionSizes;
using kernels::GradientSums;
using kernels::Normed;
using kernels::NormStatistics;
using torch::autograd::variable_list;

Tensor empty_bf16(int64_t count) { return torch::empty({count}, torch::kBFloat16); }

Bf16* numbers(const Tensor& tensor) {
  return reinterpret_cast<Bf16*>(tensor.data_ptr<at::BFloat16>());
}

ConvolutionSizes sizes_of(const StackedLayer& of) {
  const ConvolutionShape& shape = of.layer->shape();
  return {of.images, of.height,    of.width,     shape.in,
          shape.out, shape.kernel, shape.stride, shape.padding};
}

/// What a layer wrote, before its norm, and the norm.
struct Written {
  ConvolutionSizes sizes;
  Tensor numbers;
  NormStatistics statistics;
  ChannelMap map;

  Normed normed() const { return {nn::numbers(numbers), &statistics, &map}; }
};

struct Stack {
  Tensor x;
  std::vector<Written> written;

  Normed input_of(size_t layer) const {
    return layer == 0 ? Normed{numbers(x)} : written[layer - 1].normed();
  }
};

Stack run(const Tensor& x, const std::vector<StackedLayer>& layers) {
  const Tensor pixels = x.permute({0, 2, 3, 1}).contiguous();
  Stack out{empty_bf16(pixels.numel()), {}};
  kernels::round_to_bf16(pixels.numel(), pixels.data_ptr<float>(), numbers(out.x));
  for (size_t l = 0; l < layers.size(); ++l) {
    const ConvolutionSizes sizes = sizes_of(layers[l]);
    BatchNorm& norm = layers[l].layer->norm();
    const Tensor weight = layers[l].layer->weight.contiguous();
    Written made{sizes, empty_bf16(sizes.outputs() * sizes.out), {}, {}};
    made.statistics =
        kernels::convolve(sizes, out.input_of(l), weight.data_ptr<float>(), numbers(made.numbers));
    if (norm.is_training()) {
      norm.follow(made.statistics.mean, made.statistics.variance, sizes.outputs());
    } else {
      made.statistics = running_statistics(norm);
    }
    made.map = kernels::channel_map(made.statistics, floats(norm.weight), floats(norm.bias),
                                    BatchNorm::kEpsilon);
    out.written.push_back(std::move(made));
  }
  return out;
}

/// Weight, gain, shift of each layer.
variable_list parameters_of(const std::vector<StackedLayer>& layers) {
  variable_list out;
  for (const StackedLayer& of : layers) {
    const BatchNorm& norm = of.layer->norm();
    out.insert(out.end(), {of.layer->weight, norm.weight, norm.bias});
  }
  return out;
}

Tensor vector_of(const std::vector<double>& values) {
  Tensor out = torch::empty({static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), out.data_ptr<float>());
  return out;
}

/// Edges go to parameters_of(layers).
struct StackBackward : torch::autograd::Node {
  variable_list apply(variable_list&& gradients) override {
    require_first_derivative("convolution");
    TORCH_CHECK(!stack.written.empty(),
                "[convolution] the gradient of one forward pass was asked for twice");
    for (size_t i = 0; i < parameters.size(); ++i) {  // the weights are read once more
      TORCH_CHECK(
          static_cast<int64_t>(parameters[i]._version()) == versions[i],
          "[convolution] a parameter was changed between the forward pass and its gradient");
    }
    variable_list out(parameters.size());
    if (!gradients[0].defined()) return out;
    const Tensor dpooled = gradients[0].contiguous();
    const ConvolutionSizes& last = stack.written.back().sizes;
    Tensor g = empty_bf16(last.outputs() * last.out);
    GradientSums sums = kernels::pool_backward(last.images, last.outputs() / last.images, last.out,
                                               stack.written.back().normed(),
                                               dpooled.data_ptr<float>(), numbers(g));
    for (size_t l = stack.written.size(); l-- > 0;) {
      const Written& made = stack.written[l];
      std::vector<double> gain = sums.weighted;
      for (size_t c = 0; c < gain.size(); ++c) {
        gain[c] /= std::sqrt(made.statistics.variance[c] + BatchNorm::kEpsilon);
      }
      out[3 * l + 1] = vector_of(gain);
      out[3 * l + 2] = vector_of(sums.plain);
      const Normed x = stack.input_of(l);
      const kernels::NormedGradient dy{numbers(g), made.normed(), &sums, BatchNorm::kEpsilon};
      if (task_should_compute_output(3 * l)) {
        out[3 * l] = torch::empty(parameters[3 * l].sizes());
        kernels::weight_gradient(made.sizes, x, dy, out[3 * l].data_ptr<float>());
      }
      if (l == 0) break;
      const Tensor weight = parameters[3 * l].detach().contiguous();
      Tensor dx = empty_bf16(made.sizes.inputs() * made.sizes.in);
      GradientSums of_dx =
          kernels::input_gradient(made.sizes, x, dy, weight.data_ptr<float>(), numbers(dx));
      g = dx;
      sums = std::move(of_dx);
    }
    release_variables();
    return out;
  }
  void release_variables() override { stack = {}; }
  std::string name() const override { return "StackBackward"; }

  Stack stack;
  variable_list parameters;
  std::vector<int64_t> versions;  // of the parameters, at the forward pass
};

}  // namespace

bool convolves_in_bf16() {
  if (!fused() || precision() != Precision::kBfloat16) return false;
  const std::string set = kernels::instruction_set();
  return set != "baseline" && set != "avx2";
}

bool stack_covers(const Tensor& x, const std::vector<StackedLayer>& layers) {
  if (!convolves_in_bf16() || !fused_covers(x) || x.numel() == 0) return false;
  const bool gradient = torch::GradMode::is_enabled();
  if (gradient && x.requires_grad()) return false;
  int64_t numbers_before = x.numel();
  for (const StackedLayer& of : layers) {
    const ConvolutionSizes sizes = sizes_of(of);
    if (sizes.inputs() * sizes.in != numbers_before) return false;  // LibTorch says what is wrong
    numbers_before = sizes.outputs() * sizes.out;
    const BatchNorm& norm = of.layer->norm();
    if (!fused_covers(of.layer->weight) || !fused_covers(norm.weight)) return false;
    if (gradient && !norm.is_training()) return false;
    if (norm.is_training() && sizes.outputs() < 2) return false;
  }
  return true;
}

Tensor pooled_stack(const Tensor& x, const std::vector<StackedLayer>& layers) {
  const variable_list parameters = parameters_of(layers);
  const bool needs_gradient =
      torch::autograd::compute_requires_grad(at::ArrayRef<Tensor>(parameters));
  Tensor pooled;
  Stack stack;
  {
    const torch::NoGradGuard no_grad;
    stack = run(x, layers);
    const ConvolutionSizes& last = stack.written.back().sizes;
    pooled = torch::empty({last.images, last.out});
    kernels::pool(last.images, last.outputs() / last.images, last.out,
                  stack.written.back().normed(), pooled.data_ptr<float>());
  }
  if (!needs_gradient) return pooled;
  auto node = std::shared_ptr<StackBackward>(new StackBackward(), torch::autograd::deleteNode);
  node->set_next_edges(torch::autograd::collect_next_edges(at::ArrayRef<Tensor>(parameters)));
  node->stack = std::move(stack);
  node->parameters = parameters;
  for (const Tensor& p : parameters) node->versions.push_back(static_cast<int64_t>(p._version()));
  torch::autograd::set_history(pooled, node);
  return pooled;
}

}  // namespace adassl::nn
