#include "adassl/kernels/convolution/convolution.h"

#include <algorithm>

#include "adassl/kernels/convolution/common.h"
#include "adassl/kernels/convolution/plane.h"

namespace adassl::kernels {
namespace {

/// From each image's sums and sums of squares.
NormStatistics statistics_of(ImageSums& sums, int64_t images, int64_t pixels) {
  const auto channels = static_cast<size_t>(sums.channels);
  NormStatistics out{std::vector<float>(channels), std::vector<float>(channels)};
  const auto each = static_cast<double>(pixels);
  const double rows = each * static_cast<double>(images);
  for (size_t c = 0; c < channels; ++c) {
    double total = 0;
    for (int64_t i = 0; i < images; ++i) total += sums.first(i)[c];
    const double mean = total / rows;
    double squares = 0;
    for (int64_t i = 0; i < images; ++i) {
      const double own = sums.first(i)[c] / each;
      const double about_own = std::max(0.0, sums.second(i)[c] - each * own * own);
      squares += about_own + each * (own - mean) * (own - mean);
    }
    out.mean[c] = static_cast<float>(mean);
    out.variance[c] = static_cast<float>(squares / rows);
  }
  return out;
}

}  // namespace

NormStatistics convolve(const ConvolutionSizes& given, const Normed& x, const float* weight,
                        Bf16* y) {
  const ConvolutionSizes sizes = checked(given);
  const Unit& unit = kernels::unit();
  const InputView view = input_view(unit, sizes);
  const PackedShape shape{sizes.out, view.channels, view.pairs(), view.taps()};
  static thread_local Halves packed;
  pack(shape, packed, [&](int64_t out, int64_t index, int64_t tap) {
    // A window holds tap after tap, each with its channels.
    if (view.windows) return weight_at(sizes, weight, out, index % sizes.in, index / sizes.in);
    return weight_at(sizes, weight, out, index, tap);
  });
  const Bf16* weights = packed.data();

  Sweep grid{view.rows,
             view.columns,
             view.stride[0] * view.plane.row_size(),
             view.stride[1] * view.plane.depth,
             {},
             {}};
  for (int64_t tap = 0; tap < view.taps(); ++tap) {
    const int64_t row = tap / view.kernel[1] * view.plane.row_size();
    const int64_t column = tap % view.kernel[1] * view.plane.depth;
    grid.taps.push_back({row + column, tap * shape.tap_size()});
  }
  std::vector<int64_t> offsets;
  for (int64_t ky = 0; ky < view.kernel[0]; ++ky) offsets.push_back(ky - view.plane.top);
  const int64_t height = view.plane.rows - 2 * view.plane.top;
  grid.taps_of_row = taps_inside(view.rows, view.stride[0], height, offsets, view.kernel[1]);
  const int64_t pixels = view.rows * view.columns;
  const int64_t chunk = chunk_of(sizes.images, pixels, 2 * view.plane.size());
  ImageSums sums(sizes.images, sizes.out);
  parallel_for((sizes.images + chunk - 1) / chunk, [&](int64_t task) {
    static thread_local Halves planes;
    const int64_t first = task * chunk;
    const int64_t images = std::min(chunk, sizes.images - first);
    planes.resize(images * view.plane.size() + kSlack * grid.column_step);
    for (int64_t i = 0; i < images; ++i) {
      fill_input(sizes, view, x, first + i, planes.data() + i * view.plane.size());
    }
    unit.begin(std::min(unit.rows, grid.columns), view.pairs());
    for (int64_t block = 0; block < shape.blocks(); ++block) {
      const int64_t column = block * kColumns;
      const int64_t columns = std::min(kColumns, sizes.out - column);
      sweep(unit, grid, images, view.plane, view.pairs(), planes.data(),
            weights + block * shape.block_size(),
            [&](int64_t image, int64_t row, int64_t at, int64_t count, const float* c) {
              image += first;
              const int64_t pixel = image * pixels + row * view.columns + at;
              write_outputs({count, columns, sizes.out, y + pixel * sizes.out + column}, c,
                            sums.first(image) + column, sums.second(image) + column);
            });
    }
    unit.end();
  });
  return statistics_of(sums, sizes.images, pixels);
}

void pool(int64_t images, int64_t pixels, int64_t channels, const Normed& x, float* y) {
  const Activation activation = activation_of(x);
  parallel_for(images, [&](int64_t i) {
    mean_of_activations(pixels, channels, x.data + i * pixels * channels, activation,
                        y + i * channels);
  });
}

GradientSums pool_backward(int64_t images, int64_t pixels, int64_t channels, const Normed& x,
                           const float* dy, Bf16* g) {
  ImageSums sums(images, channels);
  parallel_for(images, [&](int64_t i) {
    Activated by = activated_by(x);
    by.x += i * pixels * channels;
    spread_gradient(pixels, channels, dy + i * channels, by, g + i * pixels * channels,
                    sums.first(i), sums.second(i));
  });
  return merged(sums, images);
}

}  // namespace adassl::kernels
