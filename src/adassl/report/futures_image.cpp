#include <algorithm>
#include <array>
#include <cmath>

#include "adassl/core/error.h"
#include "adassl/report/clip.h"
#include "adassl/report/futures.h"

namespace adassl::report {
namespace {

constexpr int64_t kPanel = 216;  // wide, more or less, in pixels of the picture
constexpr int64_t kGap = 6;      // between panels
constexpr int64_t kWhole = -1;   // all moments at once
constexpr double kFaded = 0.35;  // how bright the past is while the future happens

using Colour = std::array<double, 3>;
constexpr Colour kNight = {13, 16, 24};
constexpr Colour kPast = {205, 214, 226};
constexpr Colour kFuture = {255, 150, 45};

Clip require_clip(const Array& x) {
  const auto clip = clip_of(x);
  ADASSL_CHECK(clip, "[futures] expected clips or images of 1 or 3 channels, got observations of ",
               x.columns(), " numbers: there is nothing to draw");
  return *clip;
}

/// The part of the frames in which anything ever happens, with some room around it; all panels show
/// the same.
struct Window {
  int64_t left, top, width, height, zoom;
};

Window window_of(const FutureFigure& figure, const Clip& clip) {
  int64_t left = clip.width, top = clip.height, right = 0, bottom = 0;
  for (const Array* x : {&figure.futures.x, &figure.futures.x_plus}) {
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
  if (left > right || top > bottom) return {0, 0, clip.width, clip.height, 1};  // all is dark
  const int64_t width = right - left + 1;
  return {left, top, width, bottom - top + 1, std::max<int64_t>(1, kPanel / width)};
}

/// How bright a pixel of frame t is, channels averaged.
double brightness(const Array& x, const Clip& clip, int64_t sample, int64_t t, int64_t pixel) {
  double sum = 0;
  for (int64_t c = 0; c < clip.channels; ++c) {
    sum += x.values[clip.frame(sample, c, t) + static_cast<size_t>(pixel)];
  }
  return std::clamp(sum / static_cast<double>(clip.channels), 0.0, 1.0);
}

/// The past: later frames are brighter.
double past_at(const Array& x, const Clip& clip, int64_t sample, int64_t moment, int64_t pixel) {
  if (moment >= clip.frames) return kFaded * brightness(x, clip, sample, clip.frames - 1, pixel);
  if (moment != kWhole) return brightness(x, clip, sample, moment, pixel);
  double out = 0;
  for (int64_t t = 0; t < clip.frames; ++t) {
    const double age = static_cast<double>(t + 1) / static_cast<double>(clip.frames);
    out = std::max(out, age * brightness(x, clip, sample, t, pixel));
  }
  return out;
}

/// The share of futures that are bright here, by its root: a single one among many stays visible.
/// Of all moments the last one is shown: where it may have come to.
double futures_at(const Array& x_plus, const Clip& clip, const std::vector<int64_t>& samples,
                  int64_t moment, int64_t pixel) {
  if (samples.empty() || (moment != kWhole && moment < clip.frames)) return 0;
  double sum = 0;
  for (const int64_t sample : samples) {
    const int64_t t = moment == kWhole ? clip.frames - 1 : moment - clip.frames;
    sum += brightness(x_plus, clip, sample, t, pixel);
  }
  return std::sqrt(sum / static_cast<double>(samples.size()));
}

void put(Image& image, int64_t left, int64_t top, int64_t zoom, double past, double future) {
  for (int64_t y = top; y < top + zoom; ++y) {
    for (int64_t x = left; x < left + zoom; ++x) {
      for (size_t c = 0; c < 3; ++c) {
        const double light = std::max(past * kPast[c], future * kFuture[c]);
        const double value = std::max(kNight[c], light);
        image.pixels[static_cast<size_t>((y * image.width + x) * 3) + c] =
            static_cast<uint8_t>(std::lround(std::min(255.0, value)));
      }
    }
  }
}

Image image_at(const FutureFigure& figure, int64_t moment) {
  const Array& x = figure.futures.x;
  const Array& x_plus = figure.futures.x_plus;
  const Clip clip = require_clip(x);
  const int64_t pasts = x.rows();
  const int64_t each = pasts == 0 ? 0 : x_plus.rows() / pasts;
  const Window window = window_of(figure, clip);
  const int64_t across = window.zoom * window.width + kGap;
  const int64_t down = window.zoom * window.height + kGap;
  const auto columns = static_cast<int64_t>(figure.columns.size());
  Image image = make_image((columns + 1) * across - kGap, pasts * down - kGap, 3);
  std::fill(image.pixels.begin(), image.pixels.end(), uint8_t{255});
  for (int64_t s = 0; s < pasts; ++s) {
    for (int64_t c = 0; c <= columns; ++c) {
      std::vector<int64_t> samples;
      if (c > 0) samples = figure.columns[static_cast<size_t>(c - 1)].shown[static_cast<size_t>(s)];
      for (int64_t& sample : samples) sample += s * each;
      // The first column shows the past alone, and keeps it while the others go on.
      const int64_t shown = c == 0 && moment >= clip.frames ? clip.frames - 1 : moment;
      for (int64_t p = 0; p < window.width * window.height; ++p) {
        const int64_t column = p % window.width;
        const int64_t row = p / window.width;
        const int64_t pixel = (window.top + row) * clip.width + window.left + column;
        put(image, c * across + window.zoom * column, s * down + window.zoom * row, window.zoom,
            past_at(x, clip, s, shown, pixel), futures_at(x_plus, clip, samples, shown, pixel));
      }
    }
  }
  return image;
}

}  // namespace

Image still(const FutureFigure& figure) { return image_at(figure, kWhole); }

std::vector<Image> moving(const FutureFigure& figure) {
  const Clip clip = require_clip(figure.futures.x);
  std::vector<Image> out;
  for (int64_t moment = 0; moment < 2 * clip.frames; ++moment) {
    out.push_back(image_at(figure, moment));
  }
  out.push_back(out.back());  // the end stays for a moment
  out.push_back(out.back());
  return out;
}

}  // namespace adassl::report
