#include "adassl/nn/built_network.h"

#include <algorithm>
#include <span>
#include <utility>

#include "adassl/core/error.h"
#include "adassl/nn/norm_relu_function.h"

/// Creates the parameters of a network and runs its forward pass. Between layers, activations are
/// frames [B T, C, H, W] or columns over time [B, C, T, H W], in channels-last memory.
namespace adassl::nn {
namespace {

using Layers = std::span<const BuiltLayer>;

// ---- parameters

/// Registers a module under a path such as "layer1.0.conv1". Creates empty modules for the groups
/// "layer1" and "layer1.0" if they do not exist yet.
template <class Module>
std::shared_ptr<Module> place(torch::nn::Module& root, const std::string& path,
                              std::shared_ptr<Module> module) {
  const size_t dot = path.find('.');
  if (dot == std::string::npos) return root.register_module(path, std::move(module));
  const std::string group = path.substr(0, dot);
  const auto children = root.named_children();
  const auto* known = children.find(group);
  auto inner = known != nullptr
                   ? *known
                   : root.register_module(group, std::make_shared<torch::nn::Module>(group));
  return place(*inner, path.substr(dot + 1), std::move(module));
}

/// Creates all layers for an input of this size.
std::vector<BuiltLayer> build(torch::nn::Module& root, const Network& network, Size size) {
  std::vector<BuiltLayer> out;
  for (const Layer& layer : network) {
    BuiltLayer built{layer, size, size_after(layer, size)};
    const int64_t in = size.channels;
    if (layer.kind == LayerKind::kConvolution) {
      built.convolution =
          place(root, layer.name,
                std::make_shared<Convolution>(convolution_shape(layer, in), layer.init));
    } else if (layer.kind == LayerKind::kLinear) {
      built.linear =
          place(root, layer.name, std::make_shared<Linear>(in, layer.out, layer.bias, layer.init));
    } else if (layer.kind == LayerKind::kNorm) {
      built.norm = place(root, layer.name, std::make_shared<BatchNorm>(in));
      const torch::NoGradGuard no_grad;
      if (layer.init == Init::kZero) built.norm->weight.zero_();
    } else if (layer.kind == LayerKind::kResidual) {
      built.body = build(root, layer.body, size);
      built.shortcut = build(root, layer.shortcut, size);
    }
    size = built.after;
    out.push_back(std::move(built));
  }
  return out;
}

// ---- the forward pass

/// The activations between two layers. Frames [B T, C, H, W], for layers over space, and columns
/// [B, C, T, H W], for convolutions over time, are two views of the same channels-last memory.
struct Activations {
  Tensor y;                // frames, columns, or vectors [B, C] or [B T, C]
  int64_t batch = 0;       // B
  Grid grid = {};          // T, H, W
  bool over_time = false;  // true: y holds columns; false: it holds frames or vectors
};

/// x is [B, C], [B, C, H, W] or [B, C, T, H, W].
Activations begin(const Tensor& x) {
  if (x.dim() == 4) return {x, x.size(0), {1, x.size(2), x.size(3)}};
  if (x.dim() != 5) return {x, x.size(0), {}};
  return {x.transpose(1, 2).flatten(0, 1), x.size(0), {x.size(2), x.size(3), x.size(4)}};
}

/// Switches between frames and columns over time, without a copy.
void arrange(Activations& a, bool over_time) {
  if (a.over_time == over_time) return;
  const Tensor pixels = a.y.permute({0, 2, 3, 1});
  const Grid& g = a.grid;
  a.y = (over_time ? pixels.view({a.batch, g.time, g.height * g.width, -1})
                   : pixels.view({a.batch * g.time, g.height, g.width, -1}))
            .permute({0, 3, 1, 2});
  a.over_time = over_time;
}

/// Frames [B T, C, H, W] -> [B, C T H W].
Tensor flat(const Activations& a) {
  const Grid& g = a.grid;
  return a.y.view({a.batch, g.time, a.y.size(1), g.height, g.width}).transpose(1, 2).flatten(1);
}

/// [B, C T H W] -> frames [B T, C, H, W].
Tensor frames(const Tensor& y, const Size& size) {
  const Grid& g = size.grid;
  return y.view({y.size(0), size.channels, g.time, g.height, g.width})
      .transpose(1, 2)
      .flatten(0, 1)
      .contiguous(torch::MemoryFormat::ChannelsLast);
}

bool is(Layers layers, size_t i, LayerKind kind) {
  return i < layers.size() && layers[i].layer.kind == kind;
}

bool is_relu(Layers layers, size_t i) {
  return is(layers, i, LayerKind::kRelu) && layers[i].layer.slope == 0;
}

Activations run(Layers layers, Activations a, const Compute& compute);

/// relu(body(x) + shortcut(x)). The last layer of the body is a norm, which is fused with the sum
/// and the ReLU.
Activations run_residual(const BuiltLayer& block, const Activations& a, const Compute& compute) {
  const Layers body(block.body);
  Activations out = run(body.first(body.size() - 1), a, compute);
  arrange(out, false);
  Activations shortcut = run(block.shortcut, a, compute);
  arrange(shortcut, false);
  out.y = norm_add_relu(out.y, *body.back().norm, shortcut.y, compute);
  return out;
}

/// Runs the layers one after the other, without a bfloat16 chain.
Activations run(Layers layers, Activations a, const Compute& compute) {
  for (size_t i = 0; i < layers.size(); ++i) {
    const BuiltLayer& at = layers[i];
    const Layer& layer = at.layer;
    switch (layer.kind) {
      case LayerKind::kConvolution:
        arrange(a, layer.kernel.time > 1);
        a.y = at.convolution->forward(a.y, compute);
        break;
      case LayerKind::kLinear:
        a.y = at.linear->forward(a.y);
        break;
      case LayerKind::kNorm:
        if (a.y.dim() != 4) {
          a.y = at.norm->forward(a.y);
        } else if (is_relu(layers, i + 1) && is(layers, i + 2, LayerKind::kMaxPool)) {
          arrange(a, false);
          a.y = norm_relu_pool(a.y, *at.norm, pool_sizes(layers[i + 2], a.y.size(0)), compute);
          i += 2;
        } else if (is_relu(layers, i + 1)) {
          a.y = norm_relu(a.y, *at.norm, compute);
          ++i;
        } else {
          a.y = plain_norm(a.y, *at.norm, compute);
        }
        break;
      case LayerKind::kRelu:
        a.y = leaky_relu(a.y, layer.slope);
        break;
      case LayerKind::kMaxPool:
        arrange(a, false);
        a.y = torch::max_pool2d(a.y, {layer.kernel.height, layer.kernel.width},
                                {layer.stride.height, layer.stride.width},
                                {layer.padding.height, layer.padding.width});
        break;
      case LayerKind::kMeanPool:
        arrange(a, false);
        a.y = a.y.mean({2, 3});
        break;
      case LayerKind::kFlatten:
        if (a.y.dim() == 4) arrange(a, false);
        a.y = flat(a);
        break;
      case LayerKind::kReshape:
        a.y = frames(a.y, at.after);
        break;
      case LayerKind::kUpsample:
        arrange(a, false);
        a.y = torch::upsample_nearest2d(a.y, {layer.grid.height, layer.grid.width});
        break;
      case LayerKind::kResidual:
        arrange(a, false);
        a = run_residual(at, a, compute);
        break;
    }
    a.grid = layers[i].after.grid;  // which may be a later one than `at`
    if (layer.kind == LayerKind::kFlatten) a.grid = {};
  }
  return a;
}

/// The index of the mean pooling, or the number of layers if there is none.
size_t mean_pool_of(const std::vector<BuiltLayer>& layers) {
  const auto found = std::ranges::find_if(
      layers, [](const BuiltLayer& at) { return at.layer.kind == LayerKind::kMeanPool; });
  return static_cast<size_t>(found - layers.begin());
}

}  // namespace

ConvolutionShape convolution_shape(const Layer& layer, int64_t in) {
  const Grid &k = layer.kernel, &s = layer.stride, &p = layer.padding;
  if (k.time > 1) {
    return {in, layer.out, {k.time, k.width}, {s.time, s.width}, {p.time, p.width}};
  }
  return {in, layer.out, {k.height, k.width}, {s.height, s.width}, {p.height, p.width}};
}

kernels::PoolSizes pool_sizes(const BuiltLayer& at, int64_t images) {
  const Grid &k = at.layer.kernel, &s = at.layer.stride, &p = at.layer.padding;
  return {images,
          at.before.grid.height,
          at.before.grid.width,
          at.before.channels,
          {k.height, k.width},
          {s.height, s.width},
          {p.height, p.width}};
}

BuiltNetwork::BuiltNetwork(torch::nn::Module& root, const Network& network, const Size& input,
                           const ComputePtr& compute)
    : network_(network),
      input_(input),
      output_(size_after(network, input)),
      compute_(compute),
      layers_(build(root, network, input)),
      chain_start_(chain_start(layers_)) {
  const bool convolves = std::ranges::any_of(layers_, [](const BuiltLayer& at) {
    return at.convolution != nullptr || at.layer.kind == LayerKind::kResidual;
  });
  if (!convolves || !compute->multiplies_in_bf16()) return;
  if (!chain_start_) {
    compute->note_fallback("convolutions are in float32: no chain of bfloat16 kernels covers them");
  } else if (*chain_start_ > 0) {
    compute->note_fallback(
        "the first convolutions are LibTorch's, in float32: there is no kernel "
        "for what follows them");
  }
}

Tensor BuiltNetwork::forward(const Tensor& x) const {
  const Layers layers(layers_);
  Activations a = begin(x);
  if (!chain_start_ || !compute_->multiplies_in_bf16()) return run(layers, a, *compute_).y;
  const size_t pool = mean_pool_of(layers_);
  a = run(layers.first(*chain_start_), a, *compute_);
  const std::vector<ChainLayer> chain = chain_from(layers_, *chain_start_, a.batch);
  if (!chain_covers(a.y, chain, *compute_)) {
    return run(layers.subspan(*chain_start_), a, *compute_).y;
  }
  a.y = bf16_chain(a.y.permute({0, 2, 3, 1}), chain, ChainEnd::kPooled);
  a.grid = layers_[pool].after.grid;
  a.over_time = false;
  return run(layers.subspan(pool + 1), a, *compute_).y;
}

Footprint BuiltNetwork::footprint() const {
  const bool bf16 = compute_->multiplies_in_bf16() && chain_start_.has_value();
  if (!bf16) return nn::footprint(network_, input_, false);
  const auto cut = network_.begin() + static_cast<int64_t>(*chain_start_);
  const Network before(network_.begin(), cut);
  Footprint out = nn::footprint(before, input_, false);
  out += nn::footprint(Network(cut, network_.end()), size_after(before, input_), true);
  return out;
}

}  // namespace adassl::nn
