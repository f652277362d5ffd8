#include "adassl/kernels/convolution/plane.h"

#include "adassl/kernels/convolution/common.h"

/// The plane of the input, for the forward pass and the gradient of the weights:
///   plane[y + top, x + left, i] = act(x)[y, x, i]   [height + 2 top, width + 2 left, in]
/// with zeros around it, where top and left are the padding. And which taps of a window fall inside
/// the picture: tap k of output row r reads row y = r step + offset_k. If y < 0 or y >= height, the
/// tap meets zeros only, and is left out of the product.
namespace adassl::kernels {

std::vector<TapGrid::Range> taps_inside(int64_t rows, int64_t step, int64_t height,
                                        const std::vector<int64_t>& offsets,
                                        int64_t taps_in_group) {
  const auto groups = static_cast<int64_t>(offsets.size());
  std::vector<TapGrid::Range> out;
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
  view.plane = {sizes.height + 2 * sizes.padding[0], sizes.width + 2 * sizes.padding[1], sizes.in,
                sizes.padding[0], sizes.padding[1]};
  view.rows = sizes.out_height();
  view.columns = sizes.out_width();
  view.taps = sizes.kernel[0];
  view.stride = sizes.stride;
  view.channels = sizes.kernel[1] * sizes.in;
  view.pairs = pairs_for(unit, view.channels);
  return view;
}

void fill_input(const ConvolutionSizes& sizes, const InputView& view, const Normed& x,
                int64_t image, Bf16* to) {
  const int64_t row = sizes.width * sizes.in;
  const Bf16* from = numbers_of(x) + image * sizes.height * row;
  fill_plane(view.plane, sizes.height, sizes.width, to, [&](int64_t y, Bf16* to_row) {
    activate(sizes.width, sizes.in, from + y * row, activation_of(x), sizes.in, to_row);
  });
}

}  // namespace adassl::kernels
