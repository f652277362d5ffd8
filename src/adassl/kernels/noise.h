#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "adassl/core/random.h"

/// Random matrices. The draws are those of random::Sequence, computed for many samples at once, one
/// sample per vector lane.
///
/// Normal values are made by the method of Box and Muller, in double precision up to the last step:
///   radius = sqrt(-2 log u), u = (word + 1/2) / 2^32. With u = 2^e m and m near 1,
///            log m = 2 atanh((m - 1) / (m + 1)) is a power series.
///   angle  = the next word, as a fraction of a turn. Its two leading bits give the quadrant; the
///            rest lies within pi / 4 of 0, where sine and cosine are Taylor series.
/// In double precision, the rounded values equal those of the plain formula (and of tools/golden)
/// except for one draw in millions. This halves the number of lanes, which is still fast enough.
/// Multiplications are never fused with additions, so every instruction set computes the same bits.
namespace adassl::kernels {

/// Row i of `out` (rows of `columns` values) is filled from stream.at(first_row + i).
void fill_normal(std::span<float> out, int64_t columns, const random::Stream& stream,
                 int64_t first_row = 0);
/// The same with uniform values in the open interval (0, 1).
void fill_uniform(std::span<float> out, int64_t columns, const random::Stream& stream,
                  int64_t first_row = 0);

/// The same values in column-major order: out[j * rows + i] is column j of row i.
void fill_normal_columns(std::span<float> out, int64_t columns, const random::Stream& stream,
                         int64_t first_row = 0);
void fill_uniform_columns(std::span<float> out, int64_t columns, const random::Stream& stream,
                          int64_t first_row = 0);

/// The formula of normal values: makes out[2k] and out[2k + 1] from words[2k] and words[2k + 1].
void box_muller(std::span<const uint32_t> words, std::span<float> out);

namespace detail {

/// The part of a random matrix that a kernel fills: out[j * stride + i] for i < rows, j < columns.
struct NoiseTile {
  float* out;
  int64_t stride;
  int64_t rows;
  int64_t columns;
  uint32_t first_row;
  uint32_t first_block;  // a block has four columns
  std::array<uint32_t, 2> key;
  uint64_t step;
};

}  // namespace detail
}  // namespace adassl::kernels
