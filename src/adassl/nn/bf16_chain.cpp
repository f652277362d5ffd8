#include "adassl/nn/bf16_chain.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <torch/csrc/autograd/functions/utils.h>

#include "adassl/core/error.h"
#include "adassl/kernels/convolution/passes.h"
#include "adassl/nn/kept_parameters.h"
#include "adassl/nn/norm_relu_function.h"
#include "adassl/nn/tensors.h"

/// Runs a chain forward, keeps the sums y_l of each layer [pixels, channels] in bfloat16, and
/// computes its gradient. With act_l(y) = max(0, norm_l(y) + what is added),
///   forward:   y_l = weight_l * act(y_reads), for l = 0, 1, ...
///   backward:  for l = ..., 1, 0: dweight_l from dy_l and act(y_reads); then the gradient of
///              act(y_reads), which is whole once its first reader was asked
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

/// What a layer wrote, before its norm or bias, and what these do to it.
struct LayerState {
  ConvolutionSizes sizes;
  Tensor numbers;
  NormStatistics statistics;
  ChannelMap map;
  bool normed = false;  // otherwise it has a bias, or nothing
  bool moves = false;   // with the batch: then the statistics have gradients
  Tensor joined = {};   // the activations, where something is added

  static constexpr int64_t kX = -1;     // among layers
  static constexpr int64_t kNone = -1;  // x is never added
  int64_t reads = kX;
  int64_t adds = kNone;
  bool without_relu = false;

  Normed activations() const {
    return {nn::numbers(numbers), &statistics, &map,
            joined.defined() ? nn::numbers(joined) : nullptr};
  }
};

struct Chain {
  Tensor x;
  std::vector<LayerState> written;

  const LayerState& at(int64_t layer) const { return written[static_cast<size_t>(layer)]; }
  Normed activations_of(int64_t layer) const {
    return layer == LayerState::kX ? Normed{numbers(x)} : at(layer).activations();
  }
  /// Whether no layer before this one reads what it reads.
  bool reads_first(int64_t layer) const {
    for (int64_t l = 0; l < layer; ++l) {
      if (at(l).reads == at(layer).reads) return false;
    }
    return true;
  }
};

/// A bias is a norm of mean 0 and deviation 1 that no batch moves.
void add_bias(const Tensor& bias, LayerState& made) {
  const auto out = static_cast<size_t>(made.sizes.out);
  made.statistics = {std::vector<float>(out, 0), std::vector<float>(out, 1)};
  made.map = {std::vector<float>(out, 1), std::vector<float>(out, 0)};
  if (bias.defined()) std::ranges::copy(floats(bias.contiguous()), made.map.offset.begin());
}

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
    out.written.push_back(std::move(made));
  }
  return out;
}

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

/// Weight, gain, and shift or bias of each layer; undefined where there is none.
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

/// The gradient of a layer's activations, 0 where they are; or, without sums, of what it wrote.
struct OutputGradient {
  Tensor g;
  std::optional<GradientSums> sums;
};

/// Edges go to x, then to parameters_of(layers).
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
      output_gradients;   // of each layer, once all who read it have been asked
  variable_list pending;  // of x and of each layer: what some of them had to give

  static size_t edge_of(int64_t layer, size_t parameter) {
    return 1 + 3 * static_cast<size_t>(layer) + parameter;
  }
  const Tensor& parameter(int64_t layer, size_t which) const {
    return parameters[edge_of(layer, which) - 1];
  }
  Tensor& pending_of(int64_t layer) { return pending[static_cast<size_t>(layer + 1)]; }

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

  kernels::NormedGradient gradient_of(int64_t l) const {
    const LayerState& made = chain.at(l);
    const OutputGradient& at = output_gradients[static_cast<size_t>(l)];
    return {numbers(at.g), at.sums ? made.activations() : Normed{},
            made.moves && at.sums ? &*at.sums : nullptr, BatchNorm::kEpsilon};
  }

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

  /// To what the layer added, and to what it read. The first that reads something is the last to
  /// be asked: its gradient and what is pending make that of the activations.
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
    const Tensor before = std::exchange(pending_of(made.reads), {});
    Tensor dx = empty_bf16(made.sizes.inputs() * made.sizes.in);
    GradientSums sums = kernels::input_gradient(
        made.sizes, last ? chain.activations_of(made.reads) : Normed{}, gradient_of(l),
        weight.data_ptr<float>(), numbers(dx), before.defined() ? numbers(before) : nullptr);
    if (last) {
      output_gradients[static_cast<size_t>(made.reads)] = {dx, std::move(sums)};
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
