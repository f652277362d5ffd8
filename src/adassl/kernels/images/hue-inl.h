// Included once for each instruction set, hence no #pragma once.
#if defined(ADASSL_KERNELS_IMAGES_HUE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ADASSL_KERNELS_IMAGES_HUE_INL_H
#undef ADASSL_KERNELS_IMAGES_HUE_INL_H
#else
#define ADASSL_KERNELS_IMAGES_HUE_INL_H
#endif

#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Pillow computes partly in float and partly in double, and through tables of quotients. This
// computes in float alone, in which all whole numbers below are exact, and a test compares it with
// Pillow's formulas for all colours and all values of hue, saturation and value: no result differs.
using Floats = hn::ScalableTag<float>;
using Float = hn::Vec<Floats>;

/// 8-bit hue and saturation; value is the largest colour.
struct HueAndSaturation {
  Float hue;
  Float saturation;
};

/// `most` and `least` are the largest and the smallest of the colours.
HWY_INLINE HueAndSaturation to_hsv(Float red, Float green, Float blue, Float most, Float least) {
  const Floats d;
  const Float one = hn::Set(d, 1.0F);
  const Float spread = hn::Sub(most, least);
  // Where there is no colour the quotients are of no use, but must be numbers.
  const Float range = hn::Max(spread, one);
  const Float between = hn::Sub(hn::Sub(hn::Add(hn::Add(red, green), blue), most), least);
  // With two of Pillow's three quotients 0 and 1, its hue in sixths is centre + 1 - q or
  // centre - 1 + q, where q is the third quotient.
  const Float quotient = hn::Div(hn::Sub(most, between), range);
  const auto is_red = hn::Eq(red, most);
  const auto is_green = hn::Eq(green, most);
  const auto by_kind = [&](Float if_red, Float if_green, Float if_blue) {
    return hn::IfThenElse(is_red, if_red, hn::IfThenElse(is_green, if_green, if_blue));
  };
  const Float centre = by_kind(hn::Zero(d), hn::Set(d, 2.0F), hn::Set(d, 4.0F));
  const auto beyond = hn::Ge(by_kind(green, blue, red), by_kind(blue, red, green));
  const Float sixths = hn::Add(hn::Add(centre, hn::IfThenElse(beyond, one, hn::Neg(one))),
                               hn::IfThenElse(beyond, hn::Neg(quotient), quotient));
  const Float turn = hn::Div(sixths, hn::Set(d, 6.0F));
  const Float hue = hn::IfThenElse(hn::Lt(turn, hn::Zero(d)), hn::Add(turn, one), turn);
  const Float full = hn::Set(d, 255.0F);
  return {hn::Trunc(hn::Mul(hue, full)),
          hn::Trunc(hn::Mul(hn::Div(spread, hn::Max(most, one)), full))};
}

/// round(value * (1 - saturation / 255 * part / 255)), which is never half way between two numbers.
HWY_INLINE Float less_by(Float value, Float saturation, Float part) {
  const Floats d;
  const Float rest = hn::Sub(hn::Set(d, 65025.0F), hn::Mul(saturation, part));
  return hn::Round(hn::Mul(hn::Mul(value, rest), hn::Set(d, 1.0F / 65025)));
}

HWY_INLINE void to_rgb(Float hue, Float saturation, Float value, Float& red, Float& green,
                       Float& blue) {
  const Floats d;
  const Float full = hn::Set(d, 255.0F);
  const Float six = hn::Mul(hue, hn::Set(d, 6.0F));
  // six / 255 and six % 255: the sixth of the circle, of which 6 is the same as 0, and the rest.
  const Float sector = hn::Trunc(hn::Mul(hn::Add(six, hn::Set(d, 0.5F)), hn::Set(d, 1.0F / 255)));
  const Float rest = hn::Sub(six, hn::Mul(sector, full));
  const auto is = [&](float number) { return hn::Eq(sector, hn::Set(d, number)); };
  const auto first = is(1), second = is(2), third = is(3), fourth = is(4), fifth = is(5);
  const auto odd = hn::Or(hn::Or(first, third), fifth);
  const Float least = less_by(value, saturation, full);
  const Float between = less_by(value, saturation, hn::IfThenElse(odd, rest, hn::Sub(full, rest)));
  red = hn::IfThenElse(hn::Or(second, third), least,
                       hn::IfThenElse(hn::Or(first, fourth), between, value));
  green = hn::IfThenElse(hn::Or(first, second), value,
                         hn::IfThenElse(hn::Or(fourth, fifth), least, between));
  blue = hn::IfThenElse(hn::Or(third, fourth), value,
                        hn::IfThenElse(hn::Or(second, fifth), between, least));
}

/// Turns the hue by a whole number from 0 to 255.
HWY_INLINE void turn_hue(Float by, Float& red, Float& green, Float& blue) {
  const Floats d;
  const Float most = hn::Max(red, hn::Max(green, blue));
  const Float least = hn::Min(red, hn::Min(green, blue));
  const HueAndSaturation old = to_hsv(red, green, blue, most, least);
  const Float around = hn::Set(d, 256.0F);
  const Float sum = hn::Add(old.hue, by);
  const Float hue = hn::IfThenElse(hn::Ge(sum, around), hn::Sub(sum, around), sum);
  to_rgb(hue, old.saturation, most, red, green, blue);
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
