#include "adassl/app/contact_sheet.h"

#include <algorithm>
#include <cmath>

#include "adassl/core/error.h"
#include "adassl/report/clip.h"

namespace adassl::app {
namespace {

constexpr int64_t kZoom = 2;
constexpr int64_t kThin = 1;     // between frames and between rows
constexpr int64_t kWide = 6;     // between x, x+ and x++
constexpr uint8_t kDark = 70;    // the colour of thin gaps between dark frames
constexpr uint8_t kLight = 255;  // the colour of wide gaps

void fill(storage::Image& sheet, int64_t left, int64_t width, uint8_t colour) {
  const int64_t channels = sheet.channels;
  for (int64_t y = 0; y < sheet.height; ++y) {
    const auto begin = sheet.pixels.begin() + (y * sheet.width + left) * channels;
    std::fill(begin, begin + width * channels, colour);
  }
}

uint8_t pixel(const Array& view, size_t at) {
  if (!view.bytes.empty()) return view.bytes[at];
  return static_cast<uint8_t>(std::lround(255 * std::clamp(view.values[at], 0.0F, 1.0F)));
}

/// Draws frame t of sample i, enlarged.
void draw_frame(const Array& view, const report::Clip& clip, int64_t i, int64_t t, int64_t left,
                int64_t top, storage::Image& sheet) {
  for (int64_t c = 0; c < clip.channels; ++c) {
    const auto begin = static_cast<int64_t>(clip.frame(i, c, t));
    for (int64_t y = 0; y < kZoom * clip.height; ++y) {
      for (int64_t x = 0; x < kZoom * clip.width; ++x) {
        const int64_t from = y / kZoom * clip.width + x / kZoom;
        const int64_t to = ((top + y) * sheet.width + left + x) * sheet.channels + c;
        sheet.pixels[static_cast<size_t>(to)] = pixel(view, static_cast<size_t>(begin + from));
      }
    }
  }
}

}  // namespace

storage::Image contact_sheet(const Batch& batch) {
  const auto clip = report::clip_of(batch.x);
  ADASSL_CHECK(clip, "[data show] expected clips or images, got vectors of ", batch.x.columns(),
               " numbers: there is nothing to draw");
  std::vector<const Array*> views;
  for (const Array* view : {&batch.x, &batch.x_plus, &batch.helper}) {
    if (view->shape == batch.x.shape) views.push_back(view);
  }
  const auto segments = static_cast<int64_t>(views.size());
  const int64_t segment = clip->frames * (kZoom * clip->width + kThin) - kThin;
  const int64_t row = kZoom * clip->height + kThin;
  constexpr int64_t kLargestSide = 1 << 15;
  const int64_t width = segments * (segment + kWide) - kWide;
  const int64_t height = batch.x.rows() * row - kThin;
  ADASSL_CHECK(width <= kLargestSide && height <= kLargestSide,
               "[data show] expected a picture of at most ", kLargestSide, " pixels a side, got ",
               width, "x", height, "; ask for less with --pairs");
  storage::Image sheet = storage::make_image(width, height, clip->channels);
  std::fill(sheet.pixels.begin(), sheet.pixels.end(), kDark);
  for (int64_t s = 1; s < segments; ++s) fill(sheet, s * (segment + kWide) - kWide, kWide, kLight);
  for (int64_t i = 0; i < batch.x.rows(); ++i) {
    for (int64_t s = 0; s < segments; ++s) {
      for (int64_t t = 0; t < clip->frames; ++t) {
        const int64_t left = s * (segment + kWide) + t * (kZoom * clip->width + kThin);
        draw_frame(*views[static_cast<size_t>(s)], *clip, i, t, left, i * row, sheet);
      }
    }
  }
  return sheet;
}

}  // namespace adassl::app
