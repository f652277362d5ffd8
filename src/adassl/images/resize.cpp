#include "adassl/images/resize.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "adassl/core/batch.h"
#include "adassl/core/error.h"

namespace adassl::images {
namespace {

void require_inside(const Box& box, int64_t width, int64_t height) {
  ADASSL_CHECK(box.left >= 0 && box.top >= 0 && box.width >= 1 && box.height >= 1 &&
                   box.left <= width - box.width && box.top <= height - box.height,
               "[resize] expected a box inside ", width, "x", height, ", got ", box.width, "x",
               box.height, " at ", box.left, ", ", box.top);
}

/// Cuts off the inputs that no output needs; returns how many were cut before the first.
int64_t trim(kernels::Taps& taps) {
  int64_t begin = taps.inputs;
  int64_t end = 0;
  for (const int32_t first : taps.first) {
    begin = std::min<int64_t>(begin, first);
    end = std::max<int64_t>(end, first + taps.count);
  }
  for (int32_t& first : taps.first) first -= static_cast<int32_t>(begin);
  taps.inputs = end - begin;
  return begin;
}

/// The last output first.
void reverse(kernels::Taps& taps) {
  std::ranges::reverse(taps.first);
  const auto count = static_cast<size_t>(taps.count);
  for (size_t i = 0, j = taps.first.size() - 1; i < j; ++i, --j) {
    std::swap_ranges(&taps.weights[i * count], &taps.weights[i * count] + count,
                     &taps.weights[j * count]);
  }
}

}  // namespace

Resize to_square(const Box& box, int64_t side) {
  return {.box = box, .width = side, .height = side, .window = {0, 0, side, side}};
}

int64_t half(int64_t extent) {
  return static_cast<int64_t>(std::nearbyint(static_cast<double>(extent) / 2));
}

Resize centre_square(int64_t width, int64_t height, int64_t shorter, int64_t side) {
  ADASSL_CHECK(shorter >= side, "[resize] expected a shorter side of at least ", side,
               " pixels, got ", shorter);
  const int64_t longer = shorter * std::max(width, height) / std::min(width, height);
  Resize out{.box = {0, 0, width, height},
             .width = width <= height ? shorter : longer,
             .height = width <= height ? longer : shorter,
             .window = {}};
  out.window = {half(out.width - side), half(out.height - side), side, side};
  return out;
}

void resize(const Pixels& image, const Resize& how, std::span<uint8_t> out) {
  constexpr int64_t kLargestSide = 1 << 20;
  require_inside(how.box, image.width, image.height);
  ADASSL_CHECK(how.width <= kLargestSide && how.height <= kLargestSide,
               "[resize] expected sides of at most ", kLargestSide, " pixels, got ", how.width, "x",
               how.height);
  require_inside(how.window, how.width, how.height);
  const Box& window = how.window;
  ADASSL_CHECK(out.size() == static_cast<size_t>(3 * window.width * window.height),
               "[resize] expected room for ", window.width, "x", window.height, " RGB pixels, got ",
               out.size(), " bytes");
  const bool is_cubic = how.filter == Filter::kBicubic;
  kernels::Taps along =
      kernels::resampling_taps(how.box.width, how.width, window.left, window.width, is_cubic);
  kernels::Taps down =
      kernels::resampling_taps(how.box.height, how.height, window.top, window.height, is_cubic);
  const int64_t left = how.box.left + trim(along);
  const int64_t top = how.box.top + trim(down);
  if (how.mirrored) reverse(along);
  const int64_t rows = down.inputs;
  thread_local std::vector<uint8_t, Uncleared<uint8_t>> between;  // [3, rows, window.width]
  between.resize(static_cast<size_t>(3 * rows * window.width));
  kernels::resample_rows(image.bytes.data() + 3 * (top * image.width + left), 3 * image.width, rows,
                         along, between);
  const auto plane_in = static_cast<size_t>(rows * window.width);
  const auto plane_out = static_cast<size_t>(window.height * window.width);
  for (size_t c = 0; c < 3; ++c) {
    kernels::resample_columns(std::span(between).subspan(c * plane_in, plane_in), window.width,
                              down, out.subspan(c * plane_out, plane_out));
  }
}

storage::Image resized(const Pixels& image, int64_t width, int64_t height, Filter filter) {
  const auto plane = static_cast<size_t>(width * height);
  std::vector<uint8_t> planes(3 * plane);
  resize(image,
         {.box = {0, 0, image.width, image.height},
          .width = width,
          .height = height,
          .window = {0, 0, width, height},
          .filter = filter},
         planes);
  storage::Image out = storage::make_image(width, height, 3);
  for (size_t i = 0; i < plane; ++i) {
    for (size_t c = 0; c < 3; ++c) out.pixels[3 * i + c] = planes[c * plane + i];
  }
  return out;
}

}  // namespace adassl::images
