#include "adassl/nn/bf16_chain.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <torch/csrc/autograd/functions/utils.h>

#include "adassl/core/error.h"
#include "adassl/kernels/convolution/passes.h"
#include "adassl/nn/bf16_chain_state.h"
#include "adassl/nn/kept_parameters.h"
#include "adassl/nn/norm_relu_function.h"
#include "adassl/nn/tensors.h"

/// The forward and the backward pass of a chain. The forward pass keeps y_l [pixels, out], the
/// output of each layer before its norm, in bfloat16. It does not store the activations
/// a_l = max(0, norm_l(y_l) + shortcut), except where there is a shortcut; kernels recompute them
/// when they read y_l. With r the layer that l reads:
///
///   forward, l = 0, 1, ...:   y_l = weight_l * a_r
///   backward, l = ..., 1, 0:  dweight_l from dy_l and a_r; then the contribution of l to da_r
///
/// Several layers can read or add a_r. The backward pass visits them from the last to the first, so
/// da_r is complete when the first layer that reads a_r has been visited.
namespace adassl::nn {
namespace {

using kernels::Bf16;
using kernels::ChannelMap;
using kernels::ConvolutionSizes;
using kernels::GradientSums;
using kernels::Normed;
using kernels::NormStatistics;
using torch::autograd::variable_list;

Tensor rounded(const Tensor& x) {
  Tensor out = empty_bf16(x.numel());
  kernels::round_to_bf16(x.numel(), x.data_ptr<float>(), numbers(out));
  return out;
}

Tensor widened(const Tensor& x, at::IntArrayRef sizes) {
  Tensor out = torch::empty(sizes, torch::kFloat32);
  kernels::widen(x.numel(), numbers(x), out.data_ptr<float>());
  return out;
}

/// Expresses a bias as a norm with constant statistics: mean 0, variance 1, scale 1, offset bias.
void add_bias(const Tensor& bias, LayerState& made) {
  const auto out = static_cast<size_t>(made.sizes.out);
  made.statistics = {std::vector<float>(out, 0), std::vector<float>(out, 1)};
  made.map = {std::vector<float>(out, 1), std::vector<float>(out, 0)};
  if (bias.defined()) std::ranges::copy(floats(bias.contiguous()), made.map.offset.begin());
}

/// In training mode, `made.statistics` already holds the batch statistics, and the running ones are
/// updated with them. In evaluation mode, the running statistics replace them.
void add_norm(BatchNorm& norm, LayerState& made) {
  made.normed = true;
  made.moves = norm.is_training();
  if (made.moves) {
    norm.follow(made.statistics.mean, made.statistics.variance, made.sizes.outputs());
  } else {
    made.statistics = running_statistics(norm);
  }
  made.map = kernels::channel_map(made.statistics, floats(norm.weight), floats(norm.bias),
                                  BatchNorm::kEpsilon);
}

/// The forward pass up to the last layer.
Chain run(const Tensor& x, const std::vector<ChainLayer>& layers) {
  Chain out{rounded(x), {}};
  for (const ChainLayer& layer : layers) {
    const auto l = static_cast<int64_t>(out.written.size());
    const ConvolutionSizes& sizes = layer.sizes;
    const int64_t pixels = sizes.outputs();
    const Tensor weight = layer.weight.contiguous();
    LayerState made{sizes, empty_bf16(pixels * sizes.out), {}, {}};
    made.reads = l - layer.reads_back;
    made.without_relu = layer.without_relu;
    made.statistics = kernels::convolve(sizes, out.activations_of(made.reads),
                                        weight.data_ptr<float>(), numbers(made.numbers));
    if (layer.norm != nullptr) {
      add_norm(*layer.norm, made);
    } else {
      add_bias(layer.bias, made);
    }
    if (layer.adds_back > 0) {
      made.adds = l - layer.adds_back;
      const LayerState& other = out.at(made.adds);
      const Tensor joined = empty_bf16(pixels * sizes.out);
      kernels::join_shortcut(pixels, sizes.out, made.activations(), other.activations(),
                             other.without_relu, numbers(joined));
      made.joined = joined;
    }
    if (layer.pools()) {
      made.pool = layer.pool;
      made.joined = empty_bf16(layer.pool.outputs() * sizes.out);
      made.taps = torch::empty({layer.pool.outputs() * sizes.out}, torch::kUInt8);
      kernels::relu_pool(layer.pool, numbers(made.numbers), made.map, numbers(made.joined),
                         made.taps.data_ptr<uint8_t>());
    }
    out.written.push_back(std::move(made));
  }
  return out;
}

/// The result of the chain in float32: [pixels, out] for kLinear, [images, out] for kPooled.
Tensor end_of(const Chain& chain, const ChainLayer& layer, ChainEnd end) {
  const LayerState& last = chain.written.back();
  const int64_t pixels = last.sizes.outputs();
  if (end == ChainEnd::kLinear) {
    const Tensor y = widened(last.numbers, {pixels, last.sizes.out});
    return layer.bias.defined() ? y + layer.bias : y;
  }
  Tensor y = torch::empty({last.sizes.images, last.sizes.out}, torch::kFloat32);
  kernels::pool(last.sizes.images, pixels / last.sizes.images, last.sizes.out, last.activations(),
                y.data_ptr<float>());
  return y;
}

/// Three tensors per layer: the weight, the gain, and the shift or bias. A tensor is undefined if
/// the layer does not have it.
variable_list parameters_of(const std::vector<ChainLayer>& layers) {
  variable_list out;
  for (const ChainLayer& of : layers) {
    const bool normed = of.norm != nullptr;
    out.insert(out.end(),
               {of.weight, normed ? of.norm->weight : Tensor(), normed ? of.norm->bias : of.bias});
  }
  return out;
}

Tensor vector_of(const std::vector<double>& values) {
  Tensor out = torch::empty({static_cast<int64_t>(values.size())}, torch::kFloat32);
  std::copy(values.begin(), values.end(), out.data_ptr<float>());
  return out;
}

/// A gradient at the output of a layer. With `sums`, g is the gradient of its activations, set to 0
/// where the ReLU is inactive. Without `sums`, g is the gradient of y, the output before the norm.
struct OutputGradient {
  Tensor g;                          // [pixels, out] in bfloat16
  std::optional<GradientSums> sums;  // [out] each: the sums that gradients of a norm need
};

/// The node of the autograd graph. Its inputs are x, then parameters_of(layers).
struct ChainBackward : torch::autograd::Node {
  variable_list apply(variable_list&& gradients) override {
    require_first_derivative("bf16");
    TORCH_CHECK(!chain.written.empty(),
                "[bf16] the gradient of one forward pass was asked for twice");
    parameters.require_unchanged("bf16");
    variable_list out(1 + parameters.size());
    if (!gradients[0].defined()) return out;
    const auto layers = static_cast<int64_t>(chain.written.size());
    output_gradients.assign(static_cast<size_t>(layers), {});
    pending.assign(static_cast<size_t>(layers) + 1, {});
    output_gradients.back() = from_end(gradients[0].contiguous(), out);
    for (int64_t l = layers - 1; l >= 0; --l) {
      parameter_gradients(l, out);
      pass_on(l);
      output_gradients[static_cast<size_t>(l)] = {};
    }
    if (pending_of(LayerState::kX).defined()) out[0] = widened(pending_of(LayerState::kX), x_sizes);
    release_variables();
    return out;
  }
  void release_variables() override {
    chain = {};
    output_gradients.clear();
    pending.clear();
  }
  std::string name() const override { return "Bf16Chain"; }

  Chain chain;
  ChainEnd end = ChainEnd::kPooled;
  std::vector<int64_t> x_sizes;
  KeptParameters parameters;

 private:
  std::vector<OutputGradient>
      output_gradients;  // one per layer, set once all layers that read or add it were visited

  // For x and each layer, [pixels, channels]: the sum of the contributions so far, before the mask
  // of the ReLU; undefined if there are none.
  variable_list pending;

  /// The index of a parameter (0: weight, 1: gain, 2: shift or bias) among the node's inputs.
  static size_t edge_of(int64_t layer, size_t parameter) {
    return 1 + 3 * static_cast<size_t>(layer) + parameter;
  }
  const Tensor& parameter(int64_t layer, size_t which) const {
    return parameters[edge_of(layer, which) - 1];
  }
  Tensor& pending_of(int64_t layer) { return pending[static_cast<size_t>(layer + 1)]; }

  /// Starts the backward pass from dy, the gradient of the chain's result. For a linear end, this
  /// also computes the gradient of the bias.
  OutputGradient from_end(const Tensor& dy, variable_list& out) {
    const LayerState& last = chain.written.back();
    const auto layer = static_cast<int64_t>(chain.written.size()) - 1;
    if (end == ChainEnd::kLinear) {
      if (parameter(layer, 2).defined()) out[edge_of(layer, 2)] = dy.sum(0);
      return {rounded(dy), std::nullopt};
    }
    const ConvolutionSizes& sizes = last.sizes;
    Tensor g = empty_bf16(sizes.outputs() * sizes.out);
    GradientSums sums =
        kernels::pool_backward(sizes.images, sizes.outputs() / sizes.images, sizes.out,
                               last.activations(), dy.data_ptr<float>(), numbers(g));
    return {g, std::move(sums)};
  }

  /// dy_l in the form that kernels read: they apply the backward pass of the norm on the fly.
  kernels::NormedGradient gradient_of(int64_t l) const {
    const LayerState& made = chain.at(l);
    const OutputGradient& at = output_gradients[static_cast<size_t>(l)];
    return {numbers(at.g), at.sums ? made.with_norm() : Normed{},
            made.moves && at.sums ? &*at.sums : nullptr, BatchNorm::kEpsilon};
  }

  /// dshift = sum g, dgain = sum g (y - mean) / sqrt(variance + epsilon), and dweight.
  void parameter_gradients(int64_t l, variable_list& out) {
    const LayerState& made = chain.at(l);
    const auto& sums = output_gradients[static_cast<size_t>(l)].sums;
    if (sums && made.normed) {
      std::vector<double> gain = sums->weighted;
      for (size_t c = 0; c < gain.size(); ++c) {
        gain[c] /= std::sqrt(made.statistics.variance[c] + BatchNorm::kEpsilon);
      }
      out[edge_of(l, 1)] = vector_of(gain);
    }
    if (sums && parameter(l, 2).defined()) out[edge_of(l, 2)] = vector_of(sums->plain);
    if (!task_should_compute_output(edge_of(l, 0))) return;
    Tensor& to = out[edge_of(l, 0)] = torch::empty(parameter(l, 0).sizes(), torch::kFloat32);
    kernels::weight_gradient(made.sizes, chain.activations_of(made.reads), gradient_of(l),
                             to.data_ptr<float>());
  }

  /// From the gradient of the pooled activations to that of the activations.
  static OutputGradient through_pooling(const LayerState& made, const Tensor& dy) {
    const kernels::PoolSizes& pool = made.pool;
    Tensor g = empty_bf16(pool.inputs() * pool.channels);
    kernels::relu_pool_backward(pool, numbers(dy), made.taps.data_ptr<uint8_t>(), numbers(g));
    return {g, kernels::gradient_sums(pool.images, pool.height * pool.width, pool.channels,
                                      made.with_norm(), numbers(g))};
  }

  /// Passes the gradient of layer l on to its shortcut and to its input. The backward pass visits
  /// the first reader of an input last. The contribution of that reader and the pending ones then
  /// add up to the complete gradient of the activations.
  void pass_on(int64_t l) {
    const LayerState& made = chain.at(l);
    const Tensor g = output_gradients[static_cast<size_t>(l)].g;
    if (made.adds != LayerState::kNone) {
      const LayerState& other = chain.at(made.adds);
      if (other.without_relu) {
        const ConvolutionSizes& sizes = other.sizes;
        output_gradients[static_cast<size_t>(made.adds)] = {
            g, kernels::gradient_sums(sizes.images, sizes.outputs() / sizes.images, sizes.out,
                                      other.activations(), numbers(g))};
      } else {
        Tensor& given = pending_of(made.adds);
        given = given.defined() ? given + g : g;
      }
    }
    if (made.reads == LayerState::kX && !task_should_compute_output(0)) return;
    const Tensor weight = parameter(l, 0).detach().contiguous();
    const bool last = chain.reads_first(l) && made.reads != LayerState::kX;
    const bool masked = last && !chain.at(made.reads).pools();  // here, and not by the pooling
    const Tensor before = std::exchange(pending_of(made.reads), {});
    Tensor dx = empty_bf16(made.sizes.inputs() * made.sizes.in);
    GradientSums sums = kernels::input_gradient(
        made.sizes, masked ? chain.activations_of(made.reads) : Normed{}, gradient_of(l),
        weight.data_ptr<float>(), numbers(dx), before.defined() ? numbers(before) : nullptr);
    if (masked) {
      output_gradients[static_cast<size_t>(made.reads)] = {dx, std::move(sums)};
    } else if (last) {
      output_gradients[static_cast<size_t>(made.reads)] = through_pooling(chain.at(made.reads), dx);
    } else {
      pending_of(made.reads) = dx;
    }
  }
};

}  // namespace

Tensor bf16_chain(const Tensor& x, const std::vector<ChainLayer>& layers, ChainEnd end) {
  require_chain(x, layers, end);
  const variable_list parameters = parameters_of(layers);
  const bool needs_gradient =
      torch::autograd::compute_requires_grad(x) ||
      torch::autograd::compute_requires_grad(at::ArrayRef<Tensor>(parameters));
  Tensor y;
  Chain chain;
  {
    const torch::NoGradGuard no_grad;
    chain = run(x.contiguous(), layers);
    y = end_of(chain, layers.back(), end);
  }
  if (!needs_gradient) return y;
  auto node = std::shared_ptr<ChainBackward>(new ChainBackward(), torch::autograd::deleteNode);
  node->set_next_edges(torch::autograd::collect_next_edges(x, at::ArrayRef<Tensor>(parameters)));
  node->chain = std::move(chain);
  node->end = end;
  node->x_sizes = x.sizes().vec();
  node->parameters = KeptParameters(parameters);
  torch::autograd::set_history(y, node);
  return y;
}

}  // namespace adassl::nn
