#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "adassl/kernels/convolution/convolution.h"
#include "adassl/kernels/convolution/passes.h"

/// How a convolution's operand lies in the cache while it is worked on, and the loop that computes
/// its sums.
///
/// A picture [height, width, channels] is copied into a plane [rows, columns, depth], with a margin
/// of zeros around it: the padding of the convolution. In a plane, the operand of a tap begins at a
/// fixed distance from that of the first tap, for every output pixel. The sums over taps
///   c[place][32] = sum over taps t of plane[place + t] * weights[t]
/// are therefore products (unit.h) that need no test for the edge. A grid (`TapGrid`) says which
/// places these are: all output pixels in the forward pass; in the gradient of the input, with
/// stride s, every s-th input pixel of each axis.
namespace adassl::kernels {

/// The extents of a plane, in pixels. The picture begins at row `top` and column `left`.
struct Plane {
  int64_t rows = 0;     // margins included
  int64_t columns = 0;  // margins included
  int64_t depth = 0;    // channels, and zeros up to what the unit reads
  int64_t top = 0;
  int64_t left = 0;

  int64_t row_size() const { return columns * depth; }
  int64_t size() const { return rows * row_size(); }
};

/// Fills a plane: fill(y, to) writes row y of the picture, [width, plane.depth]. Margins become
/// zeros.
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

/// A grid of places in a plane, [rows, columns], for each of which a sum over taps is computed.
struct TapGrid {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t row_step = 0;  // numbers in the plane from place to place
  int64_t column_step = 0;
  std::vector<Tap> taps;
  /// For each row of the grid, the taps [begin, end) that read more than the margin. The others
  /// would add zeros, and are left out.
  struct Range {
    int64_t begin = 0;
    int64_t end = 0;
  };
  std::vector<Range> taps_of_row;

  /// The number of places that one group of a product's rows computes. A row of the grid is divided
  /// into equal stretches of this length, except for the last one.
  int64_t stretch(const Unit& unit) const {
    const int64_t parts = (columns + unit.rows - 1) / unit.rows;
    return (columns + parts - 1) / parts;
  }
};

/// The `taps_of_row` of a grid with this many rows. Its taps come in groups of `taps_in_group`, and
/// those of group k read row `row * step + offsets[k]` of a picture of `height` rows.
std::vector<TapGrid::Range> taps_inside(int64_t rows, int64_t step, int64_t height,
                                        const std::vector<int64_t>& offsets, int64_t taps_in_group);

/// Computes the sums of all places, for 32 columns of `weights`, and calls
/// write(image, row, column, count, c) for each stretch of a row of the grid, with c[count][32].
/// `planes` holds the planes of the images one after the other, with memory for one more stretch
/// behind them. A product has two groups of rows, so it computes two stretches at once.
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

/// How the forward pass and the weight gradient read the input. Since channels come last, one row
/// of a window is contiguous in a plane: [kernel width, in]. It is a single tap with kernel width *
/// in channels, so that there are only as many taps as the kernel has rows, and an input of one or
/// three channels is no special case.
struct InputView {
  Plane plane;
  int64_t rows = 0;  // of outputs
  int64_t columns = 0;
  int64_t taps = 0;
  std::array<int64_t, 2> stride = {1, 1};
  int64_t channels = 0;  // of a tap
  int64_t pairs = 0;     // of a tap: behind the last channel weights are 0

  int64_t column_step() const { return stride[1] * plane.depth; }
  /// The count of numbers behind the planes that products may read, for places that do not exist
  /// and for pairs that are filled up with zero weights. They must be initialised, because 0 times
  /// NaN is NaN. (For the same reason a NaN pixel can contaminate a neighbour that should not read
  /// it.)
  int64_t behind(const Unit& unit) const { return unit.rows * column_step() + 2 * pairs; }
};

InputView input_view(const Unit& unit, const ConvolutionSizes& sizes);
void fill_input(const ConvolutionSizes& sizes, const InputView& view, const Normed& x,
                int64_t image, Bf16* to);

}  // namespace adassl::kernels
