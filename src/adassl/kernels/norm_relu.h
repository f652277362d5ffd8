#pragma once

#include <cstdint>
#include <span>
#include <vector>

/// BatchNorm and ReLU in one, over rows whose channels lie side by side: pictures in channels-last
/// order, each pixel a row. Such layers are bound by memory: forward reads twice and writes once,
/// backward likewise, and the mask of the ReLU is never stored.
namespace adassl::kernels {

/// [rows, channels], one row after the other.
struct Rows {
  int64_t rows = 0;
  int64_t channels = 0;
};

/// Of a batch, for each channel.
struct NormStatistics {
  std::vector<float> mean;
  std::vector<float> variance;  // divided by the number of rows
};

/// In one pass over memory: rows are taken in blocks that stay in the cache, whose means and
/// squared deviations are merged in double, in the order of the blocks.
NormStatistics statistics(const Rows& shape, const float* x);

/// What a norm does to each channel: y = max(0, scale x + offset).
struct ChannelMap {
  std::vector<float> scale;
  std::vector<float> offset;
};

/// Of gain (x - mean) / sqrt(variance + epsilon) + shift.
ChannelMap channel_map(const NormStatistics& statistics, std::span<const float> gain,
                       std::span<const float> shift, double epsilon);

void norm_relu(const Rows& shape, const float* x, const ChannelMap& map, float* y);

/// The gradients of norm_relu with the batch's own statistics: of x, and of gain and shift (written
/// there, one for each channel).
struct NormGradients {
  float* x = nullptr;
  float* gain = nullptr;
  float* shift = nullptr;
};
void norm_relu_backward(const Rows& shape, const float* x, const float* dy,
                        const NormStatistics& statistics, const ChannelMap& map, double epsilon,
                        const NormGradients& out);

}  // namespace adassl::kernels
