#include "adassl/kernels/mlp.h"

#include <cmath>

#include "adassl/kernels/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/mlp.cpp"
// The order matters: simd.h says for which targets, foreach_target.h compiles for each.
// clang-format off
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "adassl/kernels/tile-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

using Layers = std::span<const MlpLayer>;

constexpr int64_t kGroup = 8;       // blocks whose weight gradients are summed in one go
constexpr int64_t kMostTasks = 32;  // each has weight gradients of its own

/// Blocks [begin, end): what one task of the backward pass works on.
struct Range {
  int64_t begin, end;
};

inline float* block_of(Buffer& buffer, int64_t block, int64_t features) {
  return buffer.data() + block * features * kBlock;
}

/// Not by Min and Max: on x86 they make 0 of what is not a number, and a lost run looks healthy.
HWY_INLINE Vec leaky(Vec v, Vec slope) {
  return hn::IfThenElse(hn::Gt(v, hn::Zero(kF)), v, hn::Mul(slope, v));
}

/// The gradient before an activation, from that after it and the activation's output.
HWY_INLINE Vec leaky_gradient(Vec gradient, Vec output, Vec slope) {
  return hn::IfThenElse(hn::Gt(output, hn::Zero(kF)), gradient, hn::Mul(slope, gradient));
}

/// Mean and sum of squared deviations of the samples of one block, for each feature.
inline void block_moments(const float* block, int64_t samples, int64_t features, float* mean,
                          float* squares) {
  for (int64_t f = 0; f < features; ++f) {
    const float* row = block + f * kBlock;
    float sum = 0;
    float square = 0;
    if (samples == kBlock) {
      Vec total = hn::Zero(kF);
      for (int64_t j = 0; j < kBlock; j += kLanes) total = hn::Add(total, hn::LoadU(kF, row + j));
      sum = sum_lanes(total);
      const Vec centre = hn::Set(kF, sum / kBlock);
      Vec deviations = hn::Zero(kF);
      for (int64_t j = 0; j < kBlock; j += kLanes) {
        const Vec deviation = hn::Sub(hn::LoadU(kF, row + j), centre);
        deviations = hn::MulAdd(deviation, deviation, deviations);
      }
      square = sum_lanes(deviations);
    } else {
      for (int64_t j = 0; j < samples; ++j) sum += row[j];
      const float centre = sum / static_cast<float>(samples);
      for (int64_t j = 0; j < samples; ++j) square += (row[j] - centre) * (row[j] - centre);
    }
    mean[f] = sum / static_cast<float>(samples);
    squares[f] = square;
  }
}

/// work(f) for every feature, some of them a task.
template <class Work>
void for_features(int64_t count, const Work& work) {
  constexpr int64_t kFeatures = 16;
  parallel_for((count + kFeatures - 1) / kFeatures, [&](int64_t task) {
    const int64_t end = std::min(count, (task + 1) * kFeatures);
    for (int64_t f = task * kFeatures; f < end; ++f) work(f);
  });
}

/// Joins the blocks' moments, in order, into each view's mean and 1 / deviation.
inline void join_moments(MlpPass& pass, const MlpLayer& layer, MlpPass::Stage& stage) {
  const int64_t out = layer.out;
  for_features(out, [&](int64_t f) {
    size_t b = 0;
    for (size_t view = 0; view < pass.views.size(); ++view) {
      double count = 0;
      double mean = 0;
      double squares = 0;
      for (; b < pass.blocks.size() && pass.blocks[b].view == static_cast<int64_t>(view); ++b) {
        const auto samples = static_cast<double>(pass.blocks[b].samples);
        const float* sums = stage.sums.data() + static_cast<int64_t>(b) * 2 * out;
        const double delta = sums[f] - mean;
        count += samples;
        mean += delta * samples / count;
        squares += sums[out + f] + delta * delta * samples * (count - samples) / count;
      }
      float* moments = stage.moments.data() + static_cast<int64_t>(view) * 4 * out;
      moments[f] = static_cast<float>(mean);
      moments[out + f] =
          static_cast<float>(1 / std::sqrt(squares / count + double{MlpPass::kEpsilon}));
      const auto running = [](float& old, double fresh) {
        old = static_cast<float>((1 - double{MlpPass::kMomentum}) * old +
                                 double{MlpPass::kMomentum} * fresh);
      };
      running(layer.norm.running_mean[f], mean);
      running(layer.norm.running_var[f], squares / (count - 1));
    }
  });
}

/// W x (+ b, activated where no norm follows) for one block.
inline void linear(const MlpLayer& layer, const float* panels, const float* x, float* y) {
  const Vec slope = hn::Set(kF, layer.norm.present() ? 1.0F : layer.slope);
  const auto init = [&](int64_t m, int64_t) {
    return layer.bias == nullptr ? hn::Zero(kF) : hn::Set(kF, layer.bias[m]);
  };
  const bool activated = !layer.norm.present() && layer.slope != 1.0F;
  if (activated) {
    product(layer.out, layer.in, panels, x, kBlock, init, [&](int64_t m, int64_t j, Vec sum) {
      hn::StoreU(leaky(sum, slope), kF, y + m * kBlock + j);
    });
  } else {
    product(layer.out, layer.in, panels, x, kBlock, init,
            [&](int64_t m, int64_t j, Vec sum) { hn::StoreU(sum, kF, y + m * kBlock + j); });
  }
}

/// LeakyReLU(gain (v - mean) / deviation + shift) for one block.
inline void normalise(const MlpLayer& layer, const float* mean, const float* inverse,
                      const float* linear, float* y) {
  const Vec slope = hn::Set(kF, layer.slope);
  for (int64_t f = 0; f < layer.out; ++f) {
    const Vec centre = hn::Set(kF, mean[f]);
    const Vec scale = hn::Set(kF, inverse[f] * layer.norm.gain[f]);
    const Vec shift = hn::Set(kF, layer.norm.shift[f]);
    for (int64_t j = 0; j < kBlock; j += kLanes) {
      const Vec v = hn::Sub(hn::LoadU(kF, linear + f * kBlock + j), centre);
      hn::StoreU(leaky(hn::MulAdd(v, scale, shift), slope), kF, y + f * kBlock + j);
    }
  }
}

inline void forward_block(MlpPass& pass, Layers layers, size_t l, int64_t b, bool training) {
  const MlpLayer& layer = layers[l];
  MlpPass::Stage& stage = pass.stages[l];
  const float* x =
      l == 0 ? block_of(pass.input, b, layer.in) : block_of(pass.stages[l - 1].output, b, layer.in);
  if (!layer.norm.present()) {
    return linear(layer, stage.forward.data(), x, block_of(stage.output, b, layer.out));
  }
  float* z = block_of(stage.linear, b, layer.out);
  linear(layer, stage.forward.data(), x, z);
  if (training) {
    float* sums = stage.sums.data() + b * 2 * layer.out;
    block_moments(z, pass.blocks[static_cast<size_t>(b)].samples, layer.out, sums,
                  sums + layer.out);
  } else {
    normalise(layer, stage.moments.data(), stage.moments.data() + layer.out, z,
              block_of(stage.output, b, layer.out));
  }
}

void mlp_forward(MlpPass& pass, Layers layers, std::span<float* const> y, bool training) {
  const auto blocks = static_cast<int64_t>(pass.blocks.size());
  const size_t last = layers.size() - 1;
  size_t done = 0;  // layers that all blocks have passed
  while (done <= last) {
    // As far as no block has to wait for the statistics of all.
    size_t end = done;
    while (end < last && !(training && layers[end].norm.present())) ++end;
    parallel_for(blocks, [&](int64_t b) {
      const MlpPass::Block& block = pass.blocks[static_cast<size_t>(b)];
      if (done == 0) {
        const int64_t in = layers[0].in;
        pack_block(pass.views[static_cast<size_t>(block.view)].x + block.first * in, block.samples,
                   in, block_of(pass.input, b, in));
      } else if (layers[done - 1].norm.present()) {
        const MlpLayer& before = layers[done - 1];
        MlpPass::Stage& stage = pass.stages[done - 1];
        const float* moments = stage.moments.data() + block.view * 4 * before.out;
        normalise(before, moments, moments + before.out, block_of(stage.linear, b, before.out),
                  block_of(stage.output, b, before.out));
      }
      for (size_t l = done; l <= end; ++l) forward_block(pass, layers, l, b, training);
      if (end == last) {
        unpack_block(block_of(pass.stages[last].output, b, layers[last].out), block.samples,
                     layers[last].out,
                     y[static_cast<size_t>(block.view)] + block.first * layers[last].out);
      }
    });
    if (training && layers[end].norm.present()) join_moments(pass, layers[end], pass.stages[end]);
    done = end + 1;
  }
}

/// The gradient before the norm from that after it, in place, for one block.
inline void norm_gradient(const MlpLayer& layer, const float* moments, float count, float* linear,
                          float* gradient) {
  const int64_t out = layer.out;
  for (int64_t f = 0; f < out; ++f) {
    const Vec centre = hn::Set(kF, moments[f]);
    const Vec inverse = hn::Set(kF, moments[out + f]);
    const Vec mean = hn::Set(kF, moments[2 * out + f] / count);
    const Vec slope = hn::Set(kF, moments[3 * out + f] / count);
    const Vec scale = hn::Set(kF, layer.norm.gain[f] * moments[out + f]);
    for (int64_t j = 0; j < kBlock; j += kLanes) {
      float* at = gradient + f * kBlock + j;
      const Vec standard =
          hn::Mul(hn::Sub(hn::LoadU(kF, linear + f * kBlock + j), centre), inverse);
      const Vec centred = hn::Sub(hn::LoadU(kF, at), mean);
      hn::StoreU(hn::Mul(scale, hn::NegMulAdd(standard, slope, centred)), kF, at);
    }
  }
}

/// Sums over a block's samples of the gradient, and of gradient x standardised value.
inline void norm_sums(const MlpLayer& layer, const float* moments, const float* linear,
                      const float* gradient, int64_t samples, float* sums) {
  const int64_t out = layer.out;
  for (int64_t f = 0; f < out; ++f) {
    const float* g = gradient + f * kBlock;
    const float* z = linear + f * kBlock;
    if (samples == kBlock) {
      const Vec centre = hn::Set(kF, moments[f]);
      Vec plain = hn::Zero(kF);
      Vec weighted = hn::Zero(kF);
      for (int64_t j = 0; j < kBlock; j += kLanes) {
        const Vec v = hn::LoadU(kF, g + j);
        plain = hn::Add(plain, v);
        weighted = hn::MulAdd(v, hn::Sub(hn::LoadU(kF, z + j), centre), weighted);
      }
      sums[f] = sum_lanes(plain);
      sums[out + f] = sum_lanes(weighted) * moments[out + f];
    } else {
      sums[f] = 0;
      sums[out + f] = 0;
      for (int64_t j = 0; j < samples; ++j) {
        sums[f] += g[j];
        sums[out + f] += g[j] * (z[j] - moments[f]) * moments[out + f];
      }
    }
  }
}

inline void join_norm_sums(MlpPass& pass, const MlpLayer& layer, MlpPass::Stage& stage,
                           const MlpLayerGradients& gradients) {
  const int64_t out = layer.out;
  for_features(out, [&](int64_t f) {
    double shift = 0;
    double gain = 0;
    size_t b = 0;
    for (size_t view = 0; view < pass.views.size(); ++view) {
      double plain = 0;
      double weighted = 0;
      for (; b < pass.blocks.size() && pass.blocks[b].view == static_cast<int64_t>(view); ++b) {
        const float* sums = stage.sums.data() + static_cast<int64_t>(b) * 2 * out;
        plain += sums[f];
        weighted += sums[out + f];
      }
      float* moments = stage.moments.data() + static_cast<int64_t>(view) * 4 * out;
      moments[2 * out + f] = static_cast<float>(plain);
      moments[3 * out + f] = static_cast<float>(weighted);
      shift += plain;
      gain += weighted;
    }
    if (gradients.shift != nullptr) gradients.shift[f] = static_cast<float>(shift);
    if (gradients.gain != nullptr) gradients.gain[f] = static_cast<float>(gain);
  });
}

inline void add_bias_gradient(const float* gradient, int64_t out, float* to, bool add) {
  for (int64_t f = 0; f < out; ++f) {
    Vec sum = hn::Zero(kF);
    for (int64_t j = 0; j < kBlock; j += kLanes) {
      sum = hn::Add(sum, hn::LoadU(kF, gradient + f * kBlock + j));
    }
    to[f] = (add ? to[f] : 0.0F) + sum_lanes(sum);
  }
}

/// One layer, for the blocks of one group: gradients of its parameters, then of what is before it.
inline void backward_group(MlpPass& pass, Layers layers, size_t l, Range group, float* weights,
                           float* bias, bool add, std::span<float* const> x_gradients) {
  const MlpLayer& layer = layers[l];
  MlpPass::Stage& stage = pass.stages[l];
  const int64_t in = layer.in;
  const int64_t out = layer.out;
  Buffer& input = l == 0 ? pass.input : pass.stages[l - 1].output;
  for (int64_t b = group.begin; b < group.end; ++b) {
    const MlpPass::Block& block = pass.blocks[static_cast<size_t>(b)];
    float* gradient = block_of(stage.output, b, out);
    if (layer.norm.present()) {
      const auto count = static_cast<float>(pass.views[static_cast<size_t>(block.view)].rows);
      norm_gradient(layer, stage.moments.data() + block.view * 4 * out, count,
                    block_of(stage.linear, b, out), gradient);
      if (block.samples < kBlock) {  // what is not there has no gradient
        for (int64_t f = 0; f < out; ++f) {
          std::fill(gradient + f * kBlock + block.samples, gradient + (f + 1) * kBlock, 0.0F);
        }
      }
    }
    if (bias != nullptr) add_bias_gradient(gradient, out, bias, add || b > group.begin);
  }
  reduction(group.end - group.begin, out, in,
            {block_of(stage.output, group.begin, out), kBlock, out * kBlock},
            {block_of(input, group.begin, in), kBlock, in * kBlock}, weights, in, add);
  for (int64_t b = group.begin; b < group.end; ++b) {
    const MlpPass::Block& block = pass.blocks[static_cast<size_t>(b)];
    const float* gradient = block_of(stage.output, b, out);
    float* to = block_of(input, b, in);
    const auto zero = [&](int64_t, int64_t) { return hn::Zero(kF); };
    if (l == 0) {
      float* x_gradient = x_gradients[static_cast<size_t>(block.view)];
      if (x_gradient == nullptr) continue;
      product(in, out, stage.backward.data(), gradient, kBlock, zero,
              [&](int64_t m, int64_t j, Vec sum) { hn::StoreU(sum, kF, to + m * kBlock + j); });
      unpack_block(to, block.samples, in, x_gradient + block.first * in);
      continue;
    }
    const MlpLayer& before = layers[l - 1];
    const Vec slope = hn::Set(kF, before.slope);
    product(in, out, stage.backward.data(), gradient, kBlock, zero,
            [&](int64_t m, int64_t j, Vec sum) {
              float* at = to + m * kBlock + j;
              hn::StoreU(leaky_gradient(sum, hn::LoadU(kF, at), slope), kF, at);
            });
    if (before.norm.present()) {
      MlpPass::Stage& earlier = pass.stages[l - 1];
      norm_sums(before, earlier.moments.data() + block.view * 4 * in,
                block_of(earlier.linear, b, in), to, block.samples,
                earlier.sums.data() + b * 2 * in);
    }
  }
}

/// The blocks in pieces of whole groups, at most kMostTasks of them.
inline std::vector<Range> ranges_of(int64_t blocks) {
  const int64_t groups = (blocks + kGroup - 1) / kGroup;
  const int64_t each = (groups + kMostTasks - 1) / kMostTasks * kGroup;
  std::vector<Range> out;
  for (int64_t begin = 0; begin < blocks; begin += each) {
    out.push_back({begin, std::min(blocks, begin + each)});
  }
  return out;
}

void mlp_backward(MlpPass& pass, Layers layers, std::span<const float* const> y_gradients,
                  std::span<const MlpLayerGradients> gradients,
                  std::span<float* const> x_gradients) {
  const std::vector<Range> ranges = ranges_of(static_cast<int64_t>(pass.blocks.size()));
  std::vector<int64_t> offsets;  // of a layer's weights in a task's partial sums; biases follow
  int64_t size = 0;
  for (const MlpLayer& layer : layers) {
    offsets.push_back(size);
    size += padded_to(layer.out * (layer.in + 1), 16);
  }
  pass.partials.resize(size * static_cast<int64_t>(ranges.size()));
  auto top = static_cast<int64_t>(layers.size()) - 1;
  const int64_t last = top;
  while (top >= 0) {
    int64_t end = top;  // down to the layer below which a norm needs the sums of all
    while (end > 0 && !layers[static_cast<size_t>(end - 1)].norm.present()) --end;
    parallel_for(static_cast<int64_t>(ranges.size()), [&](int64_t task) {
      const Range range = ranges[static_cast<size_t>(task)];
      float* partial = pass.partials.data() + task * size;
      for (int64_t begin = range.begin; begin < range.end; begin += kGroup) {
        const Range group{begin, std::min(range.end, begin + kGroup)};
        if (top == last) {
          const int64_t out = layers[static_cast<size_t>(last)].out;
          for (int64_t b = group.begin; b < group.end; ++b) {
            const MlpPass::Block& block = pass.blocks[static_cast<size_t>(b)];
            pack_block(y_gradients[static_cast<size_t>(block.view)] + block.first * out,
                       block.samples, out,
                       block_of(pass.stages[static_cast<size_t>(last)].output, b, out));
          }
        }
        for (int64_t l = top; l >= end; --l) {
          const auto at = static_cast<size_t>(l);
          float* weights = partial + offsets[at];
          float* bias =
              layers[at].bias == nullptr ? nullptr : weights + layers[at].out * layers[at].in;
          backward_group(pass, layers, at, group, weights, bias, begin > range.begin, x_gradients);
        }
      }
    });
    if (end > 0) {
      const auto before = static_cast<size_t>(end - 1);
      join_norm_sums(pass, layers[before], pass.stages[before], gradients[before]);
    }
    top = end - 1;
  }
  const auto join = [&](int64_t offset, int64_t count, float* to) {
    if (to == nullptr) return;
    constexpr int64_t kPiece = 4096;
    parallel_for((count + kPiece - 1) / kPiece, [&](int64_t piece) {
      const int64_t begin = piece * kPiece;
      const int64_t here = std::min(kPiece, count - begin);
      const float* from = pass.partials.data() + offset + begin;
      std::copy_n(from, here, to + begin);
      for (size_t task = 1; task < ranges.size(); ++task) {
        from += size;
        for (int64_t i = 0; i < here; ++i) to[begin + i] += from[i];
      }
    });
  };
  for (size_t l = 0; l < layers.size(); ++l) {
    const int64_t count = layers[l].out * layers[l].in;
    join(offsets[l], count, gradients[l].weight);
    if (layers[l].bias != nullptr) join(offsets[l] + count, layers[l].out, gradients[l].bias);
  }
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {

HWY_EXPORT(mlp_forward);
HWY_EXPORT(mlp_backward);

void MlpPass::forward(std::span<const MlpLayer> layers, std::span<const MlpView> new_views,
                      std::span<float* const> y, Mode mode) {
  const bool training = mode == Mode::kTraining;
  views.assign(new_views.begin(), new_views.end());
  blocks.clear();
  for (size_t v = 0; v < views.size(); ++v) {
    for (int64_t first = 0; first < views[v].rows; first += kBlock) {
      blocks.push_back({static_cast<int64_t>(v), first, std::min(kBlock, views[v].rows - first)});
    }
  }
  const auto count = static_cast<int64_t>(blocks.size());
  stages.resize(layers.size());
  input.resize(count * layers[0].in * kBlock);
  for (size_t l = 0; l < layers.size(); ++l) {
    const MlpLayer& layer = layers[l];
    Stage& stage = stages[l];
    stage.output.resize(count * layer.out * kBlock);
    stage.forward.resize(padded_to(layer.out, kPanel) * layer.in);
    pack_panels(layer.weight, layer.out, layer.in, layer.in, 1, stage.forward.data());
    if (training) {
      stage.backward.resize(padded_to(layer.in, kPanel) * layer.out);
      pack_panels(layer.weight, layer.in, layer.out, 1, layer.in, stage.backward.data());
    }
    if (!layer.norm.present()) continue;
    stage.linear.resize(count * layer.out * kBlock);
    stage.sums.resize(count * 2 * layer.out);
    stage.moments.resize(static_cast<int64_t>(views.size()) * 4 * layer.out);
    if (training) continue;
    for (int64_t f = 0; f < layer.out; ++f) {
      stage.moments.data()[f] = layer.norm.running_mean[f];
      stage.moments.data()[layer.out + f] =
          static_cast<float>(1 / std::sqrt(double{layer.norm.running_var[f]} + double{kEpsilon}));
    }
  }
  ADASSL_DISPATCH(mlp_forward)(*this, layers, y, training);
}

void MlpPass::backward(std::span<const MlpLayer> layers, std::span<const float* const> y_gradients,
                       std::span<const MlpLayerGradients> gradients,
                       std::span<float* const> x_gradients) {
  ADASSL_DISPATCH(mlp_backward)(*this, layers, y_gradients, gradients, x_gradients);
}

int64_t MlpPass::bytes() const {
  int64_t sum = input.bytes() + partials.bytes();
  for (const Stage& stage : stages) {
    for (const Buffer* buffer : {&stage.forward, &stage.backward, &stage.linear, &stage.output,
                                 &stage.sums, &stage.moments}) {
      sum += buffer->bytes();
    }
  }
  return sum;
}

}  // namespace adassl::kernels
#endif
