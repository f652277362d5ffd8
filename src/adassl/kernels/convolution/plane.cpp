#include "adassl/kernels/convolution/plane.h"

#include "adassl/kernels/blocks.h"
#include "adassl/kernels/convolution/common.h"

namespace adassl::kernels {

std::vector<Sweep::Range> taps_inside(int64_t rows, int64_t step, int64_t height,
                                      const std::vector<int64_t>& offsets, int64_t taps_in_group) {
  const auto groups = static_cast<int64_t>(offsets.size());
  std::vector<Sweep::Range> out;
  for (int64_t row = 0; row < rows; ++row) {
    const auto inside = [&](int64_t group) {
      const int64_t y = row * step + offsets[static_cast<size_t>(group)];
      return y >= 0 && y < height;
    };
    int64_t begin = 0;
    int64_t end = groups;
    while (begin < end && !inside(begin)) ++begin;
    while (end > begin && !inside(end - 1)) --end;
    out.push_back({begin * taps_in_group, end * taps_in_group});
  }
  return out;
}

InputView input_view(const Unit& unit, const ConvolutionSizes& sizes) {
  InputView view;
  view.windows = sizes.in <= kFewChannels && sizes.taps() > 1;
  if (view.windows) {
    view.channels = sizes.taps() * sizes.in;
    view.rows = 1;
    view.columns = sizes.out_height() * sizes.out_width();
    view.plane = {1, view.columns, 2 * pairs_for(unit, view.channels), 0, 0};
    return view;
  }
  view.channels = sizes.in;
  view.rows = sizes.out_height();
  view.columns = sizes.out_width();
  view.kernel = sizes.kernel;
  view.stride = sizes.stride;
  view.plane = {sizes.height + 2 * sizes.padding[0], sizes.width + 2 * sizes.padding[1],
                2 * pairs_for(unit, sizes.in), sizes.padding[0], sizes.padding[1]};
  return view;
}

namespace {

/// `image` has its margins.
void fill_windows(const ConvolutionSizes& sizes, const InputView& view, const Bf16* image,
                  Bf16* to) {
  const int64_t row_size = (sizes.width + 2 * sizes.padding[1]) * sizes.in;
  const int64_t of_row = sizes.kernel[1] * sizes.in;  // numbers of a window's row
  const int64_t step = sizes.stride[1] * sizes.in;
  const int64_t depth = view.plane.depth;
  const int64_t columns = sizes.out_width();
  for (int64_t oy = 0; oy < sizes.out_height(); ++oy, to += columns * depth) {
    for (int64_t index = 0; index < depth; ++index) {
      const int64_t ky = index / of_row;
      const Bf16* from = image + (oy * sizes.stride[0] + ky) * row_size + index % of_row;
      const bool inside = index < view.channels;
      for (int64_t ox = 0; ox < columns; ++ox) {
        to[ox * depth + index] = inside ? from[ox * step] : Bf16{0};
      }
    }
  }
}

}  // namespace

void fill_input(const ConvolutionSizes& sizes, const InputView& view, const Normed& x,
                int64_t image, Bf16* to) {
  const int64_t row = sizes.width * sizes.in;
  const Bf16* from = x.data + image * sizes.height * row;
  const Activation activation = activation_of(x);
  if (view.windows) {
    static thread_local BufferOf<Bf16> whole;
    const Plane plane{sizes.height + 2 * sizes.padding[0], sizes.width + 2 * sizes.padding[1],
                      sizes.in, sizes.padding[0], sizes.padding[1]};
    whole.resize(plane.size());
    fill_plane(plane, sizes.height, sizes.width, whole.data(), [&](int64_t y, Bf16* to_row) {
      activate(sizes.width, sizes.in, from + y * row, activation, sizes.in, to_row);
    });
    return fill_windows(sizes, view, whole.data(), to);
  }
  fill_plane(view.plane, sizes.height, sizes.width, to, [&](int64_t y, Bf16* to_row) {
    activate(sizes.width, sizes.in, from + y * row, activation, view.plane.depth, to_row);
  });
}

}  // namespace adassl::kernels
