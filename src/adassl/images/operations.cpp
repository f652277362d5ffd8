#include "adassl/images/operations.h"

#include <cmath>
#include <vector>

#include "adassl/core/error.h"
#include "adassl/kernels/images/colour.h"

namespace adassl::images {
namespace {

kernels::Planes split(std::span<uint8_t> planes) {
  ADASSL_CHECK(planes.size() % 3 == 0, "[image] expected three planes, got ", planes.size(),
               " bytes");
  const size_t count = planes.size() / 3;
  return {planes.subspan(0, count), planes.subspan(count, count), planes.subspan(2 * count, count)};
}

/// The box whose `passes` repetitions have this standard deviation (Gwosdek et al., "Theoretical
/// foundations of Gaussian convolution by extended box filtering", 2011), in Pillow's precision.
kernels::BoxBlur box_of(double sigma, int passes) {
  const auto radius = static_cast<float>(sigma);
  const float variance = radius * radius / static_cast<float>(passes);
  const auto length = static_cast<float>(std::sqrt(12.0 * static_cast<double>(variance) + 1.0));
  const auto whole = static_cast<float>(std::floor((static_cast<double>(length) - 1.0) / 2.0));
  float part = (2 * whole + 1) * (whole * (whole + 1) - 3 * variance);
  part /= 6 * (variance - (whole + 1) * (whole + 1));
  const float box = whole + part;
  kernels::BoxBlur out;
  out.whole = static_cast<int64_t>(box);
  out.centre = static_cast<uint32_t>(static_cast<float>(1 << 24) / (box * 2 + 1));
  out.edge = ((1U << 24) - (2 * static_cast<uint32_t>(out.whole) + 1) * out.centre) / 2;
  return out;
}

uint8_t mean_of_grey(std::span<uint8_t> planes) {
  const auto sum = static_cast<double>(kernels::sum_of_grey(split(planes)));
  return static_cast<uint8_t>(sum / static_cast<double>(planes.size() / 3) + 0.5);
}

uint8_t hue_shift(double turns) {
  ADASSL_CHECK(turns >= -0.5 && turns <= 0.5, "[hue] expected a turn from -0.5 to 0.5, got ",
               turns);
  // Towards zero, and modulo 256, as NumPy converts to 8 bits.
  return static_cast<uint8_t>(static_cast<int32_t>(turns * 255));
}

}  // namespace

void adjust_brightness(std::span<uint8_t> planes, double factor) {
  const Adjusting step{Adjustment::kBrightness, factor};
  adjust(planes, {&step, 1});
}

void adjust_contrast(std::span<uint8_t> planes, double factor) {
  const Adjusting step{Adjustment::kContrast, factor};
  adjust(planes, {&step, 1});
}

void adjust_saturation(std::span<uint8_t> planes, double factor) {
  const Adjusting step{Adjustment::kSaturation, factor};
  adjust(planes, {&step, 1});
}

void adjust_hue(std::span<uint8_t> planes, double turns) {
  const Adjusting step{Adjustment::kHue, turns};
  adjust(planes, {&step, 1});
}

void adjust(std::span<uint8_t> planes, std::span<const Adjusting> steps) {
  using Kind = kernels::ColourStep::Kind;
  if (planes.empty()) return;
  std::vector<kernels::ColourStep> waiting;
  const auto take_them = [&] {
    kernels::change_colours(split(planes), waiting);
    waiting.clear();
  };
  for (const auto& [kind, amount] : steps) {
    const auto factor = static_cast<float>(amount);
    switch (kind) {
      case Adjustment::kBrightness:
        waiting.push_back({.kind = Kind::kBlend, .factor = factor});
        break;
      case Adjustment::kContrast:
        if (!waiting.empty()) take_them();
        waiting.push_back({.kind = Kind::kBlend, .factor = factor, .base = mean_of_grey(planes)});
        break;
      case Adjustment::kSaturation:
        waiting.push_back({.kind = Kind::kBlendWithGrey, .factor = factor});
        break;
      case Adjustment::kHue:
        waiting.push_back({.kind = Kind::kShiftHue, .shift = hue_shift(amount)});
        break;
    }
  }
  take_them();
}

void to_grey(std::span<uint8_t> planes) { kernels::make_grey(split(planes)); }

void blur(std::span<uint8_t> planes, int64_t width, double sigma) {
  constexpr int kPasses = 3;
  constexpr double kLargest = 1000;
  ADASSL_CHECK(sigma >= 0 && sigma <= kLargest, "[blur] expected a sigma from 0 to ", kLargest,
               " pixels, got ", sigma);
  const kernels::BoxBlur box = box_of(sigma, kPasses);
  const kernels::Planes all = split(planes);
  for (const std::span<uint8_t> plane : {all.red, all.green, all.blue}) {
    kernels::box_blur(plane, width, box, kPasses);
  }
}

void solarise(std::span<uint8_t> planes, int64_t threshold) {
  kernels::invert_from(planes, static_cast<int>(threshold));
}

}  // namespace adassl::images
