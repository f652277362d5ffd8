#pragma once

#include <cstdint>
#include <span>
#include <vector>

/// Resampling of 8-bit images along one axis. Weights are integers, so the result is the same on
/// every instruction set.
namespace adassl::kernels {

/// One list of weights for each output:
///   out[i] = clip((2^21 + sum_k weights[i * most + k] * in[first[i] + k]) >> 22),  k < used[i]
struct Taps {
  static constexpr int kBits = 22;  // a weight of 1 is 2^kBits

  int64_t inputs = 0;
  int64_t most = 1;              // weights stored for each output
  std::vector<int32_t> first;    // [outputs]
  std::vector<int32_t> used;     // [outputs]
  std::vector<int32_t> weights;  // [outputs, most]

  int64_t outputs() const { return static_cast<int64_t>(first.size()); }
};

/// Along the rows of an interleaved RGB image, whose rows begin `stride` bytes apart.
///   in [rows, taps.inputs, 3] -> out [3, rows, taps.outputs()]
void resample_rows(const uint8_t* in, int64_t stride, int64_t rows, const Taps& taps,
                   std::span<uint8_t> out);

/// Along the columns of one plane.
///   in [taps.inputs, width] -> out [taps.outputs(), width]
void resample_columns(std::span<const uint8_t> in, int64_t width, const Taps& taps,
                      std::span<uint8_t> out);

}  // namespace adassl::kernels
