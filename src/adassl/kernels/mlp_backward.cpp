#include "adassl/kernels/mlp.h"
#include "adassl/kernels/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/mlp_backward.cpp"
// The order matters: simd.h selects the targets for which foreach_target.h compiles this file.
// clang-format off
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "adassl/kernels/mlp_norm-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

constexpr int64_t kGroup = 8;       // blocks whose weight gradients are summed at once
constexpr int64_t kMostTasks = 32;  // each task has its own copy of the weight gradients

/// Blocks [begin, end), on which one task of the backward pass works.
struct Range {
  int64_t begin, end;
};

/// Rows [begin, end) of a layer.
struct Slice {
  int64_t begin, end;
};

/// Calls work(slice) in parallel for slices that cover all rows. If the batch is so small that its
/// blocks form a single task, this keeps all threads busy on a wide layer.
template <class Work>
void for_slices(int64_t rows, const Work& work) {
  parallel_for((rows + kSlice - 1) / kSlice, [&](int64_t task) {
    work(Slice{task * kSlice, std::min(rows, (task + 1) * kSlice)});
  });
}

inline void add_bias_gradient(const float* gradient, Slice rows, float* to, bool add) {
  for (int64_t f = rows.begin; f < rows.end; ++f) {
    Vec sum = hn::Zero(kF);
    for (int64_t j = 0; j < kBlock; j += kLanes) {
      sum = hn::Add(sum, hn::LoadU(kF, gradient + f * kBlock + j));
    }
    to[f] = (add ? to[f] : 0.0F) + sum_lanes(sum);
  }
}

inline Buffer& input_of(MlpPass& pass, size_t l) {
  return l == 0 ? pass.input : pass.stages[l - 1].output;
}

/// Computes the gradients of some rows of a layer's weights and biases, for the blocks of one
/// group.
inline void weight_gradients(MlpPass& pass, const MlpLayer& layer, size_t l, Range group,
                             Slice rows, float* weights, float* bias, bool add) {
  MlpPass::Stage& stage = pass.stages[l];
  const int64_t in = layer.in;
  const int64_t out = layer.out;
  for (int64_t b = group.begin; b < group.end; ++b) {
    const MlpPass::Block& block = pass.blocks[static_cast<size_t>(b)];
    float* gradient = block_of(stage.output, b, out);
    if (layer.norm.present()) {
      const auto count = static_cast<float>(pass.views[static_cast<size_t>(block.view)].rows);
      norm_gradient(layer, rows.begin, rows.end, stage.moments.data() + block.view * 4 * out, count,
                    block_of(stage.linear, b, out), gradient);
      if (block.samples < kBlock) {  // missing samples have no gradient
        for (int64_t f = rows.begin; f < rows.end; ++f) {
          std::fill(gradient + f * kBlock + block.samples, gradient + (f + 1) * kBlock, 0.0F);
        }
      }
    }
    if (bias != nullptr) add_bias_gradient(gradient, rows, bias, add || b > group.begin);
  }
  reduction(group.end - group.begin, rows.end - rows.begin, in,
            {block_of(stage.output, group.begin, out) + rows.begin * kBlock, kBlock, out * kBlock},
            {block_of(input_of(pass, l), group.begin, in), kBlock, in * kBlock},
            weights + rows.begin * in, in, add);
}

/// Overwrites some rows of a layer's input with their gradient, for one block. If a layer precedes
/// this one, it is the gradient before the activation of that layer.
inline void input_gradient(MlpPass& pass, Layers layers, size_t l, int64_t b, Slice rows) {
  const int64_t in = layers[l].in;
  const int64_t out = layers[l].out;
  const float* panels = pass.stages[l].backward.data() + rows.begin * out;
  const float* gradient = block_of(pass.stages[l].output, b, out);
  float* block = block_of(input_of(pass, l), b, in);
  float* to = block + rows.begin * kBlock;
  const int64_t count = rows.end - rows.begin;
  const auto zero = [&](int64_t, int64_t) { return hn::Zero(kF); };
  if (l == 0) {
    return product(count, out, panels, gradient, kBlock, zero, [&](int64_t m, int64_t j, Vec sum) {
      hn::StoreU(sum, kF, to + m * kBlock + j);
    });
  }
  const MlpLayer& before = layers[l - 1];
  const Vec slope = hn::Set(kF, before.slope);
  product(count, out, panels, gradient, kBlock, zero, [&](int64_t m, int64_t j, Vec sum) {
    float* at = to + m * kBlock + j;
    hn::StoreU(leaky_gradient(sum, hn::LoadU(kF, at), slope), kF, at);
  });
  if (before.norm.present()) {
    MlpPass::Stage& earlier = pass.stages[l - 1];
    const MlpPass::Block& from = pass.blocks[static_cast<size_t>(b)];
    norm_sums(before, rows.begin, rows.end, earlier.moments.data() + from.view * 4 * in,
              block_of(earlier.linear, b, in), block, from.samples,
              earlier.sums.data() + b * 2 * in);
  }
}

/// Computes the gradients of a layer's parameters, then of its input, for the blocks of one group.
inline void backward_group(MlpPass& pass, Layers layers, size_t l, Range group, float* weights,
                           float* bias, bool add, std::span<float* const> x_gradients) {
  for_slices(layers[l].out, [&](Slice rows) {
    weight_gradients(pass, layers[l], l, group, rows, weights, bias, add);
  });
  const int64_t in = layers[l].in;
  const auto wanted = [&](const MlpPass::Block& block) {
    return l > 0 || x_gradients[static_cast<size_t>(block.view)] != nullptr;
  };
  for_slices(in, [&](Slice rows) {
    for (int64_t b = group.begin; b < group.end; ++b) {
      if (wanted(pass.blocks[static_cast<size_t>(b)])) input_gradient(pass, layers, l, b, rows);
    }
  });
  for (int64_t b = group.begin; l == 0 && b < group.end; ++b) {
    const MlpPass::Block& block = pass.blocks[static_cast<size_t>(b)];
    if (!wanted(block)) continue;
    unpack_block(block_of(pass.input, b, in), block.samples, in,
                 x_gradients[static_cast<size_t>(block.view)] + block.first * in);
  }
}

/// Divides the blocks into at most kMostTasks ranges of whole groups.
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
  std::vector<int64_t> offsets;  // where a layer's weights start in a task's partial sums
  int64_t size = 0;
  for (const MlpLayer& layer : layers) {
    offsets.push_back(size);
    size += padded_to(layer.out * (layer.in + 1), 16);
  }
  pass.partials.resize(size * static_cast<int64_t>(ranges.size()));
  auto top = static_cast<int64_t>(layers.size()) - 1;
  const int64_t last = top;
  while (top >= 0) {
    int64_t end = top;  // the lowest layer above a norm, which needs the sums of all blocks
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

HWY_EXPORT(mlp_backward);

void MlpPass::backward(std::span<const MlpLayer> layers, std::span<const float* const> y_gradients,
                       std::span<const MlpLayerGradients> gradients,
                       std::span<float* const> x_gradients) {
  bool wanted = false;  // whether the gradient of any x is needed
  for (const float* x_gradient : x_gradients) wanted |= x_gradient != nullptr;
  for (size_t l = wanted ? 0 : 1; l < layers.size(); ++l) {
    pack_weights(layers[l], true, stages[l].backward);
  }
  ADASSL_DISPATCH(mlp_backward)(*this, layers, y_gradients, gradients, x_gradients);
}

}  // namespace adassl::kernels
#endif
