#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

/// Resampling of 8-bit images along one axis. Weights are integers, so the result is the same on
/// every instruction set.
namespace adassl::kernels {

/// One list of weights for each output, all of one length:
///   out[i] = clip((2^21 + sum_k weights[i * count + k] * in[first[i] + k]) >> 22),  k < count
struct Taps {
  static constexpr int kBits = 22;  // a weight of 1 is 2^kBits

  int64_t inputs = 0;
  int64_t count = 1;             // weights of each output, some of which may be 0
  std::vector<int32_t> first;    // [outputs]
  std::vector<int32_t> weights;  // [outputs, count]

  int64_t outputs() const { return static_cast<int64_t>(first.size()); }
};

/// Which inputs each output of an antialiased resampling sees, as Pillow decides it.
struct Windows {
  int64_t inputs = 0;
  int64_t first = 0;   // the first output that is wanted
  double scale = 1;    // inputs for each output
  double stretch = 1;  // of the filter
  double support = 0;  // half the width of the stretched filter

  double centre(int64_t i) const { return (static_cast<double>(first + i) + 0.5) * scale; }
  int64_t begin(int64_t i) const {
    return std::max<int64_t>(0, static_cast<int64_t>(centre(i) - support + 0.5));
  }
  int64_t end(int64_t i) const {
    return std::min(inputs, static_cast<int64_t>(centre(i) + support + 0.5));
  }
};

/// The weights with which `inputs` pixels become `outputs`, of which `count` from `first` on are
/// wanted, by a cubic or linear filter: Pillow's, computed in double precision and rounded.
Taps resampling_taps(int64_t inputs, int64_t outputs, int64_t first, int64_t count, bool is_cubic);

/// Along the rows of an interleaved RGB image, whose rows begin `stride` bytes apart.
///   in [rows, taps.inputs, 3] -> out [3, rows, taps.outputs()]
void resample_rows(const uint8_t* in, int64_t stride, int64_t rows, const Taps& taps,
                   std::span<uint8_t> out);

/// Along the columns of one plane.
///   in [taps.inputs, width] -> out [taps.outputs(), width]
void resample_columns(std::span<const uint8_t> in, int64_t width, const Taps& taps,
                      std::span<uint8_t> out);

}  // namespace adassl::kernels
