#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "adassl/kernels/convolution/convolution.h"
#include "adassl/kernels/convolution/passes.h"

/// Where a convolution's operand lies while it is worked on: pictures with their margins of zeros.
namespace adassl::kernels {

struct Plane {
  int64_t rows = 0;     // margins included
  int64_t columns = 0;  // margins included
  int64_t depth = 0;    // channels, and zeros up to what the unit reads
  int64_t top = 0;
  int64_t left = 0;

  int64_t row_size() const { return columns * depth; }
  int64_t size() const { return rows * row_size(); }
};

/// fill(y, to) writes row y of the picture, `width` pixels of `plane.depth`; margins become zeros.
template <class Fill>
void fill_plane(const Plane& plane, int64_t height, int64_t width, Bf16* to, const Fill& fill) {
  for (int64_t row = 0; row < plane.rows; ++row, to += plane.row_size()) {
    const int64_t y = row - plane.top;
    if (y < 0 || y >= height) {
      std::fill_n(to, plane.row_size(), Bf16{0});
      continue;
    }
    const int64_t from = plane.left * plane.depth;
    const int64_t until = (plane.left + width) * plane.depth;
    std::fill_n(to, from, Bf16{0});
    fill(y, to + from);
    std::fill(to + until, to + plane.row_size(), Bf16{0});
  }
}

/// A grid of places in a plane, each the sum over taps of a product: a convolution's outputs, or
/// every second of its inputs.
struct TapGrid {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t row_step = 0;  // numbers in the plane from place to place
  int64_t column_step = 0;
  std::vector<Tap> taps;
  /// Of each row of the grid, which of the taps find more than the margin: [begin, end).
  struct Range {
    int64_t begin = 0;
    int64_t end = 0;
  };
  std::vector<Range> taps_of_row;

  /// Places that a group of the unit's rows takes: those of a row of the grid in equal parts.
  int64_t stretch(const Unit& unit) const {
    const int64_t parts = (columns + unit.rows - 1) / unit.rows;
    return (columns + parts - 1) / parts;
  }
};

/// For `rows` rows of a grid, whose taps come in groups: those of group k read row
/// `row * step + offsets[k]` of a picture of `height` rows.
std::vector<TapGrid::Range> taps_inside(int64_t rows, int64_t step, int64_t height,
                                        const std::vector<int64_t>& offsets, int64_t taps_in_group);

/// write(image, row, column, count, c) for stretches of a row of the grid: c[count][32]. The planes
/// lie one after the other; behind them there is memory for a stretch.
template <class Write>
void sweep(const Unit& unit, const TapGrid& grid, int64_t images, const Plane& plane, int64_t pairs,
           const Bf16* planes, const Bf16* weights, const Write& write) {
  alignas(64) float c[kMostRows * kColumns];
  const int64_t stretch = grid.stretch(unit);
  const int64_t in_row = (grid.columns + stretch - 1) / stretch;
  const int64_t in_image = grid.rows * in_row;
  Product product{stretch, grid.column_step, 2, pairs, {}};
  struct Place {
    int64_t image, row, column;
  };
  const auto place = [&](int64_t i) {
    return Place{i / in_image, i % in_image / in_row, i % in_row * stretch};
  };
  const auto address = [&](const Place& at) {
    return planes + at.image * plane.size() + at.row * grid.row_step + at.column * grid.column_step;
  };
  const auto deliver = [&](const Place& at, const float* sums) {
    write(at.image, at.row, at.column, std::min(stretch, grid.columns - at.column), sums);
  };
  const int64_t count = images * in_image;
  for (int64_t i = 0; i < count; i += 2) {
    const bool both = i + 1 < count;
    const Place first = place(i);
    const Place second = both ? place(i + 1) : first;
    const TapGrid::Range& one = grid.taps_of_row[static_cast<size_t>(first.row)];
    const TapGrid::Range& other = grid.taps_of_row[static_cast<size_t>(second.row)];
    const int64_t begin = std::min(one.begin, other.begin);
    const int64_t end = std::max(one.end, other.end);
    product.taps = std::span(grid.taps).subspan(begin, end - begin);
    unit.product(product, address(first), address(second), weights, c);
    deliver(first, c);
    if (both) deliver(second, c + stretch * kColumns);
  }
}

/// How a convolution reads its input. A window's row is contiguous: one tap, with the channels of
/// all its pixels. So there are as many taps as the kernel has rows, and few channels are no
/// special case.
struct InputView {
  Plane plane;
  int64_t rows = 0;  // of outputs
  int64_t columns = 0;
  int64_t taps = 0;
  std::array<int64_t, 2> stride = {1, 1};
  int64_t channels = 0;  // of a tap
  int64_t pairs = 0;     // of a tap: behind the last channel weights are 0

  int64_t column_step() const { return stride[1] * plane.depth; }
  /// Numbers behind planes that products may read: of places that are not there, and of pairs that
  /// are filled up. Not to be left as they are, since 0 times anything is not always 0. (For the
  /// same reason a pixel that is no number may spoil a neighbour that would not have read it.)
  int64_t behind(const Unit& unit) const { return unit.rows * column_step() + 2 * pairs; }
};

InputView input_view(const Unit& unit, const ConvolutionSizes& sizes);
void fill_input(const ConvolutionSizes& sizes, const InputView& view, const Normed& x,
                int64_t image, Bf16* to);

}  // namespace adassl::kernels
