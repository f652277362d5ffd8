// Code that both passes of an MLP use: the position of blocks, the activation, and batch
// normalisation with its gradient. Included once for each instruction set, hence no #pragma once.
#if defined(ADASSL_KERNELS_MLP_NORM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ADASSL_KERNELS_MLP_NORM_INL_H_
#undef ADASSL_KERNELS_MLP_NORM_INL_H_
#else
#define ADASSL_KERNELS_MLP_NORM_INL_H_
#endif

#include <cmath>

#include "adassl/kernels/mlp.h"
#include "adassl/kernels/threads.h"
#include "adassl/kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

using Layers = std::span<const MlpLayer>;

inline float* block_of(Buffer& buffer, int64_t block, int64_t features) {
  return buffer.data() + block * features * kBlock;
}

/// Does not use Min and Max: on x86 they turn NaN into 0, so that a diverged run would look
/// healthy.
HWY_INLINE Vec leaky(Vec v, Vec slope) {
  return hn::IfThenElse(hn::Gt(v, hn::Zero(kF)), v, hn::Mul(slope, v));
}

/// The gradient of an activation's input, from the gradient of its output and the output itself.
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

/// Calls work(f) for every feature, in parallel tasks of several features.
template <class Work>
void for_features(int64_t count, const Work& work) {
  constexpr int64_t kFeatures = 16;
  parallel_for((count + kFeatures - 1) / kFeatures, [&](int64_t task) {
    const int64_t end = std::min(count, (task + 1) * kFeatures);
    for (int64_t f = task * kFeatures; f < end; ++f) work(f);
  });
}

/// Merges the moments of the blocks, in order, into the mean and 1 / deviation of each view, and
/// updates the running statistics.
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

/// Turns the gradient of the norm's output into that of its input, in place, for features [begin,
/// end) of one block.
inline void norm_gradient(const MlpLayer& layer, int64_t begin, int64_t end, const float* moments,
                          float count, float* linear, float* gradient) {
  const int64_t out = layer.out;
  for (int64_t f = begin; f < end; ++f) {
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

/// Sums the gradient, and the gradient times the standardised value, over the samples of a block,
/// for features [begin, end).
inline void norm_sums(const MlpLayer& layer, int64_t begin, int64_t end, const float* moments,
                      const float* linear, const float* gradient, int64_t samples, float* sums) {
  const int64_t out = layer.out;
  for (int64_t f = begin; f < end; ++f) {
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

/// Adds the sums of the blocks up to those of each view, and to the gradients of gain and shift.
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

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
