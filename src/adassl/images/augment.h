#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adassl/core/random.h"
#include "adassl/images/operations.h"
#include "adassl/images/pixels.h"

/// Random views of images. What is drawn (`Look`) and what is done with it are separate, so that
/// either can be tested without the other.
namespace adassl::images {

struct Interval {
  double min;
  double max;
};

/// The box of torchvision's RandomResizedCrop: up to ten tries with an area that is uniform in
/// `area` (of the image's) and an aspect ratio (width / height) that is log-uniform in `ratio`; if
/// none fits, the largest central box whose ratio is within the bounds.
Box random_resized_crop(int64_t width, int64_t height, Interval area, Interval ratio,
                        random::Sequence& draws);

/// Factors are uniform in [1 - s, 1 + s] but not negative; the hue's turn is uniform in [-s, s].
struct Jitter {
  double brightness = 0.4;
  double contrast = 0.4;
  double saturation = 0.2;
  double hue = 0.1;
};

/// A drawn jitter: in which order, and by how much; amounts[k] belongs to order[k].
struct ColourChange {
  std::array<Adjustment, 4> order;
  std::array<double, 4> amounts;
};

ColourChange draw_jitter(const Jitter& jitter, random::Sequence& draws);
void apply(const ColourChange& change, std::span<uint8_t> planes);

enum class Step { kFlip, kCrop, kJitter, kGrey, kBlur, kSolarise };

/// Which steps are taken, in this order, and their ranges and probabilities. A flip may stand
/// before the crop; all others see the cropped image. Without a crop the image's centre is seen.
struct Augmentation {
  std::vector<Step> steps;
  double flip = 0.5;  // probability, as those below
  Interval area = {0.08, 1};
  Interval ratio = {3.0 / 4, 4.0 / 3};
  double jitter_rate = 0.8;
  Jitter jitter = {};
  double grey_rate = 0.2;
  double blur_rate = 0.5;
  Interval sigma = {0.1, 2};  // in pixels of the view
  double solarise_rate = 0.2;
};

/// What was drawn for one view. Steps that are absent, or that chance left out, change nothing.
struct Look {
  bool mirrored = false;
  std::optional<Box> box;  // of the image as it is stored, before it is mirrored
  std::optional<ColourChange> colour;
  bool grey = false;
  std::optional<double> sigma;
  bool solarised = false;
};

Look draw(const Augmentation& augmentation, int64_t width, int64_t height, random::Sequence& draws);

///   out [3, size, size]
void apply(const Augmentation& augmentation, const Look& look, const Pixels& image, int64_t size,
           std::span<uint8_t> out);

}  // namespace adassl::images
