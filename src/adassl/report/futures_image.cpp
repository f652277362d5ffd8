#include <array>
#include <cmath>

#include "adassl/report/clip_panel.h"
#include "adassl/report/futures.h"

namespace adassl::report {
namespace {

constexpr int64_t kGap = 6;      // between panels
constexpr int64_t kWhole = -1;   // all moments at once
constexpr double kFaded = 0.35;  // how bright the past is while the future happens

/// The brightness of the past. If all moments are shown at once, later frames are brighter.
double past_at(const Array& x, const Clip& clip, int64_t sample, int64_t moment, int64_t pixel) {
  if (moment >= clip.frames) return kFaded * brightness(x, clip, sample, clip.frames - 1, pixel);
  if (moment != kWhole) return brightness(x, clip, sample, moment, pixel);
  return trail(x, clip, sample, pixel);
}

/// The square root of the mean brightness of the futures, so that a single one among many stays
/// visible. If all moments are shown at once, this is the last frame.
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

Image image_at(const FutureFigure& figure, int64_t moment) {
  const Array& x = figure.futures.x;
  const Array& x_plus = figure.futures.x_plus;
  const Clip clip = require_clip(x);
  const int64_t pasts = x.rows();
  const int64_t each = pasts == 0 ? 0 : x_plus.rows() / pasts;
  const std::array<const Array*, 2> clips = {&x, &x_plus};
  const Window window = window_of(clips, clip);
  const int64_t across = window.across() + kGap;
  const int64_t down = window.down() + kGap;
  const auto columns = static_cast<int64_t>(figure.columns.size());
  Image image = make_paper((columns + 1) * across - kGap, pasts * down - kGap);
  for (int64_t s = 0; s < pasts; ++s) {
    for (int64_t c = 0; c <= columns; ++c) {
      std::vector<int64_t> samples;
      if (c > 0) samples = figure.columns[static_cast<size_t>(c - 1)].shown[static_cast<size_t>(s)];
      for (int64_t& sample : samples) sample += s * each;
      // The first column shows only the past, and keeps its last frame while the others show the
      // future.
      const int64_t shown = c == 0 && moment >= clip.frames ? clip.frames - 1 : moment;
      draw_panel(image, c * across, s * down, window, clip, [&](int64_t pixel) {
        return Light{past_at(x, clip, s, shown, pixel),
                     futures_at(x_plus, clip, samples, shown, pixel)};
      });
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
  out.push_back(out.back());  // holds the last frame for a moment
  out.push_back(out.back());
  return out;
}

}  // namespace adassl::report
