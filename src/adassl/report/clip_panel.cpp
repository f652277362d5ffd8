#include "adassl/report/clip_panel.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "adassl/core/error.h"

namespace adassl::report {
namespace {

constexpr int64_t kPanel = 216;  // approximate width of a panel in pixels of the picture

using Colour = std::array<double, 3>;
constexpr Colour kNight = {13, 16, 24};
constexpr Colour kPast = {205, 214, 226};
constexpr Colour kFuture = {255, 150, 45};

void put(Image& image, int64_t left, int64_t top, int64_t zoom, const Light& light) {
  for (int64_t y = top; y < top + zoom; ++y) {
    for (int64_t x = left; x < left + zoom; ++x) {
      for (size_t c = 0; c < 3; ++c) {
        const double lit = std::max(light.past * kPast[c], light.future * kFuture[c]);
        const double value = std::max(kNight[c], lit);
        image.pixels[static_cast<size_t>((y * image.width + x) * 3) + c] =
            static_cast<uint8_t>(std::lround(std::min(255.0, value)));
      }
    }
  }
}

}  // namespace

Clip require_clip(const Array& x) {
  const auto clip = clip_of(x);
  ADASSL_CHECK(clip, "[clips] expected clips or images of 1 or 3 channels, got observations of ",
               x.columns(), " numbers: there is nothing to draw");
  return *clip;
}

Window window_of(std::span<const Array* const> clips, const Clip& clip) {
  int64_t left = clip.width, top = clip.height, right = 0, bottom = 0;
  for (const Array* x : clips) {
    for (size_t i = 0; i < x->values.size(); ++i) {
      if (x->values[i] < 0.1F) continue;
      const auto pixel = static_cast<int64_t>(i) % clip.pixels();
      left = std::min(left, pixel % clip.width);
      right = std::max(right, pixel % clip.width);
      top = std::min(top, pixel / clip.width);
      bottom = std::max(bottom, pixel / clip.width);
    }
  }
  constexpr int64_t kRoom = 2;
  left = std::max<int64_t>(0, left - kRoom);
  top = std::max<int64_t>(0, top - kRoom);
  right = std::min(clip.width - 1, right + kRoom);
  bottom = std::min(clip.height - 1, bottom + kRoom);
  if (left > right || top > bottom) return {0, 0, clip.width, clip.height, 1};  // no bright pixel
  const int64_t width = right - left + 1;
  return {left, top, width, bottom - top + 1, std::max<int64_t>(1, kPanel / width)};
}

double brightness(const Array& x, const Clip& clip, int64_t sample, int64_t t, int64_t pixel) {
  double sum = 0;
  for (int64_t c = 0; c < clip.channels; ++c) {
    sum += x.values[clip.frame(sample, c, t) + static_cast<size_t>(pixel)];
  }
  return std::clamp(sum / static_cast<double>(clip.channels), 0.0, 1.0);
}

double trail(const Array& x, const Clip& clip, int64_t sample, int64_t pixel) {
  double out = 0;
  for (int64_t t = 0; t < clip.frames; ++t) {
    const double age = static_cast<double>(t + 1) / static_cast<double>(clip.frames);
    out = std::max(out, age * brightness(x, clip, sample, t, pixel));
  }
  return out;
}

Image make_paper(int64_t width, int64_t height) {
  Image image = make_image(width, height, 3);
  std::fill(image.pixels.begin(), image.pixels.end(), uint8_t{255});
  return image;
}

void draw_panel(Image& image, int64_t left, int64_t top, const Window& window, const Clip& clip,
                const std::function<Light(int64_t pixel)>& light) {
  for (int64_t p = 0; p < window.width * window.height; ++p) {
    const int64_t column = p % window.width;
    const int64_t row = p / window.width;
    const int64_t pixel = (window.top + row) * clip.width + window.left + column;
    put(image, left + window.zoom * column, top + window.zoom * row, window.zoom, light(pixel));
  }
}

}  // namespace adassl::report
