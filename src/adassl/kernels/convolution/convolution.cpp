#include "adassl/kernels/convolution/convolution.h"

#include <algorithm>

#include "adassl/kernels/convolution/common.h"
#include "adassl/kernels/convolution/plane.h"

/// The forward pass of a convolution: for each image, output pixel p and output channel o
///   y[p, o] = sum over taps t and input channels i
///             of weight[o, i, t] act(x)[stride p + t - padding, i]
/// with act(x) = max(0, scale x + offset) where x has a norm. x is [images, height, width, in] and
/// y is [images, out height, out width, out], both bfloat16; sums are float32. While y is written,
/// its mean and variance over the batch are gathered for the next norm.
namespace adassl::kernels {
namespace {

/// From each image's sums, and sums of squares, about its first pixel. That is one of its n pixels,
/// so that it is off their mean by sqrt(n) deviations at most: however large the mean, a variance
/// keeps its digits.
NormStatistics statistics_of(ImageSums& sums, int64_t images, int64_t pixels, const Bf16* y) {
  const auto channels = static_cast<size_t>(sums.channels);
  NormStatistics out{std::vector<float>(channels), std::vector<float>(channels)};
  const auto each = static_cast<double>(pixels);
  const double rows = each * static_cast<double>(images);
  std::vector<double> mean(channels), squares(channels);
  std::vector<float> first(channels);
  const auto for_each = [&](const auto& visit) {
    for (int64_t i = 0; i < images; ++i) {
      widen(sums.channels, y + i * pixels * sums.channels, first.data());
      for (size_t c = 0; c < channels; ++c) visit(c, sums.first(i)[c] / each, sums.second(i)[c]);
    }
  };
  for_each([&](size_t c, double from_first, double) {
    mean[c] += (first[c] + from_first) * each / rows;
  });
  for_each([&](size_t c, double from_first, double about_first) {
    const double from_mean = first[c] + from_first - mean[c];
    const double about_own = std::max(0.0, about_first - each * from_first * from_first);
    squares[c] += about_own + each * from_mean * from_mean;
  });
  for (size_t c = 0; c < channels; ++c) {
    out.mean[c] = static_cast<float>(mean[c]);
    out.variance[c] = static_cast<float>(squares[c] / rows);
  }
  return out;
}

/// A tap is a row of the kernel: its pixels, and of each the channels.
WeightPlaces weight_rows(const ConvolutionSizes& sizes, const float* weight) {
  WeightPlaces out{weight, sizes.in * sizes.taps(), {}};
  for (int64_t tap = 0; tap < sizes.taps(); ++tap) {
    for (int64_t in = 0; in < sizes.in; ++in) out.places.push_back(in * sizes.taps() + tap);
  }
  return out;
}

}  // namespace

NormStatistics convolve(const ConvolutionSizes& given, const Normed& x, const float* weight,
                        Bf16* y) {
  const ConvolutionSizes sizes = checked(given);
  const Unit& unit = kernels::unit();
  const InputView view = input_view(unit, sizes);
  const PackedShape shape{sizes.out, view.channels, view.pairs, view.taps};
  static thread_local Bf16Buffer packed;
  pack(shape, weight_rows(sizes, weight), packed);
  const Bf16* weights = packed.data();

  TapGrid grid{view.rows,          view.columns, view.stride[0] * view.plane.row_size(),
               view.column_step(), {},           {}};
  std::vector<int64_t> offsets;
  for (int64_t tap = 0; tap < view.taps; ++tap) {
    grid.taps.push_back({tap * view.plane.row_size(), tap * shape.tap_size()});
    offsets.push_back(tap - sizes.padding[0]);
  }
  grid.taps_of_row = taps_inside(view.rows, view.stride[0], sizes.height, offsets, 1);
  const int64_t pixels = view.rows * view.columns;
  const Tasks tasks(sizes.images, pixels, 2 * view.plane.size(), shape.blocks());
  ImageSums sums(sizes.images, sizes.out);
  parallel_for(tasks.count(), [&](int64_t index) {
    static thread_local Bf16Buffer planes;
    const Tasks::Task task = tasks[index];
    const int64_t all = task.images * view.plane.size();
    planes.resize(all + view.behind(unit));
    for (int64_t i = 0; i < task.images; ++i) {
      fill_input(sizes, view, x, task.first + i, planes.data() + i * view.plane.size());
    }
    std::fill_n(planes.data() + all, view.behind(unit), Bf16{0});
    unit.begin(grid.stretch(unit), view.pairs);
    for (int64_t block = task.first_block; block < task.last_block; ++block) {
      const int64_t column = block * kColumns;
      const int64_t columns = std::min(kColumns, sizes.out - column);
      sweep(unit, grid, task.images, view.plane, view.pairs, planes.data(),
            weights + block * shape.block_size(),
            [&](int64_t image, int64_t row, int64_t at, int64_t count, const float* c) {
              image += task.first;
              Bf16* const first = y + image * pixels * sizes.out + column;
              const int64_t pixel = row * view.columns + at;
              write_outputs({count, columns, sizes.out, first + pixel * sizes.out}, c, first,
                            sums.first(image) + column, sums.second(image) + column);
            });
    }
    unit.end();
  });
  return statistics_of(sums, sizes.images, pixels, y);
}

void join_shortcut(int64_t pixels, int64_t channels, const Normed& x, const Normed& shortcut,
                   bool without_relu, Bf16* y) {
  const Activation map{x.map->scale.data(), x.map->offset.data()};
  const Shortcut added{numbers_of(shortcut), activation_of(shortcut), !without_relu};
  constexpr int64_t kPixels = 512;
  parallel_for((pixels + kPixels - 1) / kPixels, [&](int64_t task) {
    const int64_t first = task * kPixels;
    Shortcut here = added;
    here.other += first * channels;
    add_shortcut(std::min(kPixels, pixels - first), channels, x.data + first * channels, map, here,
                 y + first * channels);
  });
}

GradientSums gradient_sums(int64_t images, int64_t pixels, int64_t channels, const Normed& x,
                           const Bf16* g) {
  ImageSums sums(images, channels);
  const Activated by = activated_by(x);
  parallel_for(images, [&](int64_t i) {
    const int64_t first = i * pixels * channels;
    sum_gradients(pixels, channels, g + first, by.at(first, 0), sums.first(i), sums.second(i));
  });
  return merged(sums, images);
}

void pool(int64_t images, int64_t pixels, int64_t channels, const Normed& x, float* y) {
  const Activation activation = activation_of(x);
  parallel_for(images, [&](int64_t i) {
    mean_of_activations(pixels, channels, numbers_of(x) + i * pixels * channels, activation,
                        y + i * channels);
  });
}

GradientSums pool_backward(int64_t images, int64_t pixels, int64_t channels, const Normed& x,
                           const float* dy, Bf16* g) {
  ImageSums sums(images, channels);
  const Activated by = activated_by(x);
  parallel_for(images, [&](int64_t i) {
    const int64_t first = i * pixels * channels;
    spread_gradient(pixels, channels, dy + i * channels, by.at(first, 0), g + first, sums.first(i),
                    sums.second(i));
  });
  return merged(sums, images);
}

}  // namespace adassl::kernels
