#include "adassl/images/augment.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "adassl/images/resize.h"

namespace adassl::images {
namespace {

double uniform(Interval interval, random::Sequence& draws) {
  return interval.min + (interval.max - interval.min) * draws.uniform();
}

int64_t rounded(double value) { return static_cast<int64_t>(std::nearbyint(value)); }

double draw_amount(Adjustment adjustment, const Jitter& jitter, random::Sequence& draws) {
  const auto factor = [&](double strength) {
    return uniform({std::max(0.0, 1 - strength), 1 + strength}, draws);
  };
  switch (adjustment) {
    case Adjustment::kBrightness:
      return factor(jitter.brightness);
    case Adjustment::kContrast:
      return factor(jitter.contrast);
    case Adjustment::kSaturation:
      return factor(jitter.saturation);
    case Adjustment::kHue:
      return uniform({-jitter.hue, jitter.hue}, draws);
  }
  return 1;
}

/// The largest central box with a ratio within the bounds.
Box central_box(int64_t width, int64_t height, Interval ratio) {
  const double given = static_cast<double>(width) / static_cast<double>(height);
  int64_t wide = width;
  int64_t high = height;
  if (given < ratio.min) {
    high = std::min(height, rounded(static_cast<double>(width) / ratio.min));
  } else if (given > ratio.max) {
    wide = std::min(width, rounded(static_cast<double>(height) * ratio.max));
  }
  wide = std::max<int64_t>(wide, 1);
  high = std::max<int64_t>(high, 1);
  return {(width - wide) / 2, (height - high) / 2, wide, high};
}

}  // namespace

Box random_resized_crop(int64_t width, int64_t height, Interval area, Interval ratio,
                        random::Sequence& draws) {
  constexpr int kTries = 10;
  const double whole = static_cast<double>(width) * static_cast<double>(height);
  const Interval log_ratio = {std::log(ratio.min), std::log(ratio.max)};
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const double target = whole * uniform(area, draws);
    const double aspect = std::exp(uniform(log_ratio, draws));
    const int64_t wide = rounded(std::sqrt(target * aspect));
    const int64_t high = rounded(std::sqrt(target / aspect));
    if (wide < 1 || high < 1 || wide > width || high > height) continue;
    const auto top = draws.below(static_cast<uint64_t>(height - high + 1));
    const auto left = draws.below(static_cast<uint64_t>(width - wide + 1));
    return {static_cast<int64_t>(left), static_cast<int64_t>(top), wide, high};
  }
  return central_box(width, height, ratio);
}

ColourChange draw_jitter(const Jitter& jitter, random::Sequence& draws) {
  ColourChange out{
      {Adjustment::kBrightness, Adjustment::kContrast, Adjustment::kSaturation, Adjustment::kHue},
      {}};
  for (size_t i = 3; i > 0; --i) std::swap(out.order[i], out.order[draws.below(i + 1)]);
  for (size_t i = 0; i < 4; ++i) out.amounts[i] = draw_amount(out.order[i], jitter, draws);
  return out;
}

void apply(const ColourChange& change, std::span<uint8_t> planes) {
  std::array<Adjusting, 4> steps{};
  for (size_t i = 0; i < steps.size(); ++i) steps[i] = {change.order[i], change.amounts[i]};
  adjust(planes, steps);
}

Look draw(const Augmentation& augmentation, int64_t width, int64_t height,
          random::Sequence& draws) {
  Look out;
  for (const Step step : augmentation.steps) {
    switch (step) {
      case Step::kFlip:
        out.mirrored = draws.bernoulli(augmentation.flip);
        break;
      case Step::kCrop:
        out.box = random_resized_crop(width, height, augmentation.area, augmentation.ratio, draws);
        break;
      case Step::kJitter:
        if (draws.bernoulli(augmentation.jitter_rate)) {
          out.colour = draw_jitter(augmentation.jitter, draws);
        }
        break;
      case Step::kGrey:
        out.grey = draws.bernoulli(augmentation.grey_rate);
        break;
      case Step::kBlur:
        if (draws.bernoulli(augmentation.blur_rate)) out.sigma = uniform(augmentation.sigma, draws);
        break;
      case Step::kSolarise:
        out.solarised = draws.bernoulli(augmentation.solarise_rate);
        break;
    }
  }
  return out;
}

void apply(const Augmentation& augmentation, const Look& look, const Pixels& image, int64_t size,
           std::span<uint8_t> out) {
  Resize how =
      look.box ? to_square(*look.box, size) : centre_square(image.width, image.height, size, size);
  how.mirrored = look.mirrored;
  resize(image, how, out);
  for (const Step step : augmentation.steps) {
    switch (step) {
      case Step::kFlip:
      case Step::kCrop:
        break;  // done
      case Step::kJitter:
        if (look.colour) apply(*look.colour, out);
        break;
      case Step::kGrey:
        if (look.grey) to_grey(out);
        break;
      case Step::kBlur:
        if (look.sigma) blur(out, size, *look.sigma);
        break;
      case Step::kSolarise:
        if (look.solarised) solarise(out);
        break;
    }
  }
}

}  // namespace adassl::images
