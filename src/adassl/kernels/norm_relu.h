#pragma once

#include <cstdint>
#include <span>
#include <vector>

/// BatchNorm, alone or with what follows it, over rows whose channels lie side by side: pictures in
/// channels-last order, each pixel a row. With scale and offset of the norm,
///
///   norm:           y = scale x + offset
///   norm_relu:      y = max(0, scale x + offset)
///   norm_add_relu:  y = max(0, scale x + offset + shortcut)
///
/// Such layers are bound by memory: forward reads twice and writes once, backward likewise, and the
/// mask of the ReLU is never stored. Results do not depend on the number of threads.
namespace adassl::kernels {

/// The shape of a row-major matrix.
struct Rows {
  int64_t rows = 0;
  int64_t channels = 0;
};

/// The statistics of a batch, one entry per channel.
struct NormStatistics {
  std::vector<float> mean;
  std::vector<float> variance;  // divided by the number of rows
};

/// Computes the statistics in one pass over memory. Rows are processed in blocks that fit into the
/// cache; the means and squared deviations of the blocks are merged in double precision, in order.
NormStatistics statistics(const Rows& shape, const float* x);

/// What a norm does to each channel: scale x + offset.
struct ChannelMap {
  std::vector<float> scale;
  std::vector<float> offset;
};

/// The map for the norm gain (x - mean) / sqrt(variance + epsilon) + shift.
ChannelMap channel_map(const NormStatistics& statistics, std::span<const float> gain,
                       std::span<const float> shift, double epsilon);

void norm(const Rows& shape, const float* x, const ChannelMap& map, float* y);
void norm_relu(const Rows& shape, const float* x, const ChannelMap& map, float* y);
/// `shortcut` has the shape of x.
void norm_add_relu(const Rows& shape, const float* x, const ChannelMap& map, const float* shortcut,
                   float* y);

/// The gradients with the batch's own statistics: of x, and of gain and shift (written there, one
/// for each channel). With g, the gradient of scale x + offset,
///   dshift = sum g,   dgain = sum g (x - mean) / sqrt(variance + epsilon),
///   dx = scale (g - mean of g - (x - mean) / (variance + epsilon) * mean of g (x - mean)).
struct NormGradients {
  float* x = nullptr;
  float* gain = nullptr;
  float* shift = nullptr;
};
void norm_relu_backward(const Rows& shape, const float* x, const float* dy,
                        const NormStatistics& statistics, const ChannelMap& map, double epsilon,
                        const NormGradients& out);
/// The same for `norm`: g is dy.
void norm_backward(const Rows& shape, const float* x, const float* dy,
                   const NormStatistics& statistics, const ChannelMap& map, double epsilon,
                   const NormGradients& out);
/// The same for `norm_add_relu`, which wrote y. g, written to `dshortcut`, is dy where y > 0, and
/// is the gradient of the shortcut too.
void norm_add_relu_backward(const Rows& shape, const float* x, const float* y, const float* dy,
                            const NormStatistics& statistics, const ChannelMap& map, double epsilon,
                            const NormGradients& out, float* dshortcut);

}  // namespace adassl::kernels
