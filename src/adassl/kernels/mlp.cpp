#include "adassl/kernels/mlp.h"

#include <cmath>

#include "adassl/kernels/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/mlp.cpp"
// The order matters: simd.h selects the targets for which foreach_target.h compiles this file.
// clang-format off
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "adassl/kernels/mlp_norm-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

/// W x + b for one block, followed by the activation unless a norm comes first.
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
    // The last layer that a block can reach without the statistics of all blocks.
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

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {

HWY_EXPORT(mlp_forward);

void pack_weights(const MlpLayer& layer, bool transposed, Buffer& panels) {
  const int64_t rows = transposed ? layer.in : layer.out;
  const int64_t depth = transposed ? layer.out : layer.in;
  const int64_t row_stride = transposed ? 1 : layer.in;
  const int64_t column_stride = transposed ? layer.in : 1;
  panels.resize(padded_to(rows, kPanel) * depth);
  parallel_for((rows + kSlice - 1) / kSlice, [&](int64_t slice) {
    const int64_t begin = slice * kSlice;
    pack_panels(layer.weight + begin * row_stride, std::min(kSlice, rows - begin), depth,
                row_stride, column_stride, panels.data() + begin * depth);
  });
}

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
    pack_weights(layer, false, stage.forward);
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
