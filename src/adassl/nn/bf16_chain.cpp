#include "adassl/nn/bf16_chain.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <torch/csrc/autograd/functions/utils.h>

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

Tensor rounded(const Tensor& x) {
  Tensor out = empty_bf16(x.numel());
  kernels::round_to_bf16(x.numel(), x.data_ptr<float>(), numbers(out));
  return out;
}

Tensor widened(const Tensor& x, at::IntArrayRef sizes) {
  Tensor out = torch::empty(sizes);
  kernels::widen(x.numel(), numbers(x), out.data_ptr<float>());
  return out;
}

/// What a layer wrote, before its norm or bias, and what these do to it.
struct Written {
  ConvolutionSizes sizes;
  Tensor numbers;
  NormStatistics statistics;
  ChannelMap map;
  bool normed = false;  // by its own statistics, which have gradients

  Normed activations() const { return {nn::numbers(numbers), &statistics, &map}; }
};

struct Chain {
  Tensor x;
  std::vector<Written> written;

  Normed input_of(size_t layer) const {
    return layer == 0 ? Normed{numbers(x)} : written[layer - 1].activations();
  }
};

/// A bias is a norm of mean 0 and deviation 1 that no batch moves.
void add_bias(const Tensor& bias, Written& made) {
  const auto out = static_cast<size_t>(made.sizes.out);
  made.statistics = {std::vector<float>(out, 0), std::vector<float>(out, 1)};
  made.map = {std::vector<float>(out, 1), std::vector<float>(out, 0)};
  if (bias.defined()) std::ranges::copy(floats(bias.contiguous()), made.map.offset.begin());
}

void add_norm(BatchNorm& norm, Written& made) {
  if (norm.is_training()) {
    norm.follow(made.statistics.mean, made.statistics.variance, made.sizes.outputs());
  } else {
    made.statistics = running_statistics(norm);
  }
  made.map = kernels::channel_map(made.statistics, floats(norm.weight), floats(norm.bias),
                                  BatchNorm::kEpsilon);
  made.normed = true;
}

Chain run(const Tensor& x, const std::vector<ChainLayer>& layers) {
  Chain out{rounded(x), {}};
  for (size_t l = 0; l < layers.size(); ++l) {
    const ConvolutionSizes& sizes = layers[l].sizes;
    const Tensor weight = layers[l].weight.contiguous();
    Written made{sizes, empty_bf16(sizes.outputs() * sizes.out), {}, {}};
    made.statistics =
        kernels::convolve(sizes, out.input_of(l), weight.data_ptr<float>(), numbers(made.numbers));
    if (layers[l].norm != nullptr) {
      add_norm(*layers[l].norm, made);
    } else {
      add_bias(layers[l].bias, made);
    }
    out.written.push_back(std::move(made));
  }
  return out;
}

Tensor end_of(const Chain& chain, const ChainLayer& layer, ChainEnd end) {
  const Written& last = chain.written.back();
  const int64_t pixels = last.sizes.outputs();
  if (end == ChainEnd::kLinear) {
    const Tensor y = widened(last.numbers, {pixels, last.sizes.out});
    return layer.bias.defined() ? y + layer.bias : y;
  }
  Tensor y = torch::empty({last.sizes.images, last.sizes.out});
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
  Tensor out = torch::empty({static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), out.data_ptr<float>());
  return out;
}

/// The gradient of a layer's activations; or, without sums, of what it wrote.
struct Arriving {
  Tensor g;
  std::optional<GradientSums> sums;
};

/// Edges go to x, then to parameters_of(layers).
struct ChainBackward : torch::autograd::Node {
  variable_list apply(variable_list&& gradients) override {
    require_first_derivative("bf16");
    TORCH_CHECK(!chain.written.empty(),
                "[bf16] the gradient of one forward pass was asked for twice");
    for (size_t i = 0; i < parameters.size(); ++i) {  // the weights are read once more
      TORCH_CHECK(
          !parameters[i].defined() || static_cast<int64_t>(parameters[i]._version()) == versions[i],
          "[bf16] a parameter was changed between the forward pass and its gradient");
    }
    variable_list out(1 + parameters.size());
    if (!gradients[0].defined()) return out;
    Arriving at = from_end(gradients[0].contiguous(), out);
    for (size_t l = chain.written.size(); l-- > 0;) at.g = through(l, at, out);
    if (at.g.defined()) out[0] = widened(at.g, x_sizes);
    release_variables();
    return out;
  }
  void release_variables() override { chain = {}; }
  std::string name() const override { return "Bf16Chain"; }

  Chain chain;
  ChainEnd end = ChainEnd::kPooled;
  std::vector<int64_t> x_sizes;
  variable_list parameters;
  std::vector<int64_t> versions;  // of the parameters, at the forward pass

 private:
  static size_t edge_of(size_t layer, size_t parameter) { return 1 + 3 * layer + parameter; }

  Arriving from_end(const Tensor& dy, variable_list& out) {
    const Written& last = chain.written.back();
    if (end == ChainEnd::kLinear) {
      const size_t bias = edge_of(chain.written.size() - 1, 2);
      if (parameters[bias - 1].defined()) out[bias] = dy.sum(0);
      return {rounded(dy), std::nullopt};
    }
    const ConvolutionSizes& sizes = last.sizes;
    Tensor g = empty_bf16(sizes.outputs() * sizes.out);
    GradientSums sums =
        kernels::pool_backward(sizes.images, sizes.outputs() / sizes.images, sizes.out,
                               last.activations(), dy.data_ptr<float>(), numbers(g));
    return {g, std::move(sums)};
  }

  /// The gradients of a layer's parameters; returns that of its input and leaves the sums in `at`.
  Tensor through(size_t l, Arriving& at, variable_list& out) {
    const Written& made = chain.written[l];
    if (at.sums && made.normed) {
      std::vector<double> gain = at.sums->weighted;
      for (size_t c = 0; c < gain.size(); ++c) {
        gain[c] /= std::sqrt(made.statistics.variance[c] + BatchNorm::kEpsilon);
      }
      out[edge_of(l, 1)] = vector_of(gain);
    }
    if (at.sums && parameters[edge_of(l, 2) - 1].defined()) {
      out[edge_of(l, 2)] = vector_of(at.sums->plain);
    }
    const Normed x = chain.input_of(l);
    const kernels::NormedGradient dy{numbers(at.g), at.sums ? made.activations() : Normed{},
                                     made.normed && at.sums ? &*at.sums : nullptr,
                                     BatchNorm::kEpsilon};
    const Tensor& weight = parameters[edge_of(l, 0) - 1];
    if (task_should_compute_output(edge_of(l, 0))) {
      Tensor& to = out[edge_of(l, 0)] = torch::empty(weight.sizes());
      kernels::weight_gradient(made.sizes, x, dy, to.data_ptr<float>());
    }
    if (l == 0 && !task_should_compute_output(0)) return {};
    const Tensor used = weight.detach().contiguous();
    Tensor dx = empty_bf16(made.sizes.inputs() * made.sizes.in);
    GradientSums sums =
        kernels::input_gradient(made.sizes, x, dy, used.data_ptr<float>(), numbers(dx));
    at.sums = std::move(sums);
    return dx;
  }
};

}  // namespace

bool multiplies_in_bf16() {
  if (!fused() || precision() != Precision::kBfloat16) return false;
  const std::string set = kernels::instruction_set();
  return set != "baseline" && set != "avx2";
}

bool chain_covers(const Tensor& x, const std::vector<ChainLayer>& layers) {
  if (!multiplies_in_bf16() || !fused_covers(x) || x.numel() == 0) return false;
  int64_t numbers_before = x.numel();
  for (const ChainLayer& of : layers) {
    if (of.sizes.inputs() * of.sizes.in != numbers_before) return false;
    numbers_before = of.sizes.outputs() * of.sizes.out;
    if (!fused_covers(of.weight)) return false;
    if (of.norm == nullptr) continue;
    if (!fused_covers(of.norm->weight)) return false;
    if (torch::GradMode::is_enabled() && !of.norm->is_training()) return false;
    if (of.norm->is_training() && of.sizes.outputs() < 2) return false;
  }
  return true;
}

Tensor bf16_chain(const Tensor& x, const std::vector<ChainLayer>& layers, ChainEnd end) {
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
  node->parameters = parameters;
  for (const Tensor& p : parameters) {
    node->versions.push_back(p.defined() ? static_cast<int64_t>(p._version()) : 0);
  }
  torch::autograd::set_history(y, node);
  return y;
}

}  // namespace adassl::nn
