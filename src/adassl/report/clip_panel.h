#pragma once

#include <functional>
#include <span>

#include "adassl/report/clip.h"
#include "adassl/storage/png.h"

/// Draws clips as panels of a picture: the past in grey and the future in colour on a dark
/// background.
namespace adassl::report {

using storage::Image;
using storage::make_image;

/// The shape of clips that can be drawn; Error for all others.
Clip require_clip(const Array& x);

/// The part of the frames that panels show, and how many pixels of the picture a pixel becomes.
struct Window {
  int64_t left, top, width, height, zoom;
  int64_t across() const { return zoom * width; }
  int64_t down() const { return zoom * height; }
};
/// The part of the frames in which any clip has a bright pixel, with a margin; about 216 pixels
/// wide in the picture.
Window window_of(std::span<const Array* const> clips, const Clip& clip);

/// The brightness of a pixel of frame t, averaged over channels, from 0 to 1.
double brightness(const Array& x, const Clip& clip, int64_t sample, int64_t t, int64_t pixel);
/// The brightness of a pixel in all frames superimposed; later frames are brighter.
double trail(const Array& x, const Clip& clip, int64_t sample, int64_t pixel);

/// The intensities of both colours in a pixel, from 0 to 1.
struct Light {
  double past = 0;
  double future = 0;
};

/// A white image to draw panels on.
Image make_paper(int64_t width, int64_t height);
/// Draws the window with the light of each pixel of the clips' frames; (left, top) is its upper
/// left corner.
void draw_panel(Image& image, int64_t left, int64_t top, const Window& window, const Clip& clip,
                const std::function<Light(int64_t pixel)>& light);

}  // namespace adassl::report
