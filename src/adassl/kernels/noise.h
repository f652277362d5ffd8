#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "adassl/core/random.h"

/// Random matrices, one sample a lane: the draws are those of random::Sequence, many at once.
///
/// Normals are Box's and Muller's, in double precision to the last step:
///   radius = sqrt(-2 log u), u = (word + 1/2) / 2^32;  u = 2^e m with m around 1, and
///            log m = 2 atanh((m - 1) / (m + 1)), its power series;
///   angle  = the next word, as a fraction of a turn: its two leading bits are a quadrant, what is
///            left lies within pi / 4 of 0 and takes the Taylor series of sine and cosine.
/// Double rather than float: so the rounded values are those of the plain formula (and of
/// tools/golden) but for one draw in millions, and half of the lanes are still fast enough.
/// No multiplication is fused with an addition, hence the same bits on every instruction set.
namespace adassl::kernels {

/// Row i of `out` (rows of `columns` values) is filled from stream.at(first_row + i).
void fill_normal(std::span<float> out, int64_t columns, const random::Stream& stream,
                 int64_t first_row = 0);
/// In (0, 1), never an end.
void fill_uniform(std::span<float> out, int64_t columns, const random::Stream& stream,
                  int64_t first_row = 0);

/// The same values with each column's side by side: out[j * rows + i] is column j of row i.
void fill_normal_columns(std::span<float> out, int64_t columns, const random::Stream& stream,
                         int64_t first_row = 0);
void fill_uniform_columns(std::span<float> out, int64_t columns, const random::Stream& stream,
                          int64_t first_row = 0);

/// The formula of the normals: out[2k] and out[2k + 1] from words[2k] and words[2k + 1].
void box_muller(std::span<const uint32_t> words, std::span<float> out);

namespace detail {

/// The part of a random matrix that a kernel fills: out[j * stride + i] for i < rows, j < columns.
struct NoiseTile {
  float* out;
  int64_t stride;
  int64_t rows;
  int64_t columns;
  uint32_t first_row;
  uint32_t first_block;  // of four columns
  std::array<uint32_t, 2> key;
  uint64_t step;
};

}  // namespace detail
}  // namespace adassl::kernels
