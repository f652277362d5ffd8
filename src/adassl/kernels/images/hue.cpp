// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/images/hue.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "adassl/core/error.h"
#include "adassl/kernels/images/colour.h"
#include "adassl/kernels/images/planes-inl.h"

#ifndef ADASSL_HUE_TABLES
#define ADASSL_HUE_TABLES
namespace adassl::kernels {

/// What follows from an 8-bit hue (its sixth of the circle, and the rest) and saturation.
struct HueTables {
  int32_t sector[256];
  float rest[256];
  float saturation[256];
};

}  // namespace adassl::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Pillow computes partly in float and partly in double; so does this.
using Doubles = hn::ScalableTag<double>;
using Double = hn::Vec<Doubles>;
using HalfFloats = hn::Rebind<float, Doubles>;
using HalfFloat = hn::Vec<HalfFloats>;
using HalfInts = hn::Rebind<int32_t, Doubles>;
using HalfInt = hn::Vec<HalfInts>;
using HalfBytes = hn::Rebind<uint8_t, Doubles>;

HWY_INLINE Double wide(HalfFloat v) { return hn::PromoteTo(Doubles(), v); }
HWY_INLINE HalfFloat narrow(Double v) { return hn::DemoteTo(HalfFloats(), v); }
HWY_INLINE HalfInt truncated(Double v) { return hn::DemoteTo(HalfInts(), v); }
HWY_INLINE HalfFloat as_float(HalfInt v) { return hn::ConvertTo(HalfFloats(), v); }

/// Hue and saturation of the pixels in 0 ... 255; value is the largest colour.
struct HueAndSaturation {
  HalfInt hue;
  HalfInt saturation;
};

HWY_INLINE HueAndSaturation to_hsv(HalfInt red, HalfInt green, HalfInt blue, HalfInt most) {
  const HalfFloats d;
  const Doubles dd;
  const HalfInts di;
  const HalfInt least = hn::Min(red, hn::Min(green, blue));
  const auto coloured = hn::Gt(most, least);
  const HalfFloat one = hn::Set(d, 1.0F);
  // Where there is no colour the quotients are of no use, but must be numbers.
  const HalfFloat range =
      hn::IfThenElse(hn::RebindMask(d, coloured), as_float(hn::Sub(most, least)), one);
  const HalfFloat top = hn::Max(as_float(most), one);
  const HalfFloat saturation = hn::Div(range, top);
  const HalfFloat from_red = hn::Div(as_float(hn::Sub(most, red)), range);
  const HalfFloat from_green = hn::Div(as_float(hn::Sub(most, green)), range);
  const HalfFloat from_blue = hn::Div(as_float(hn::Sub(most, blue)), range);
  const HalfFloat of_red = hn::Sub(from_blue, from_green);
  const HalfFloat of_green =
      narrow(hn::Sub(hn::Add(hn::Set(dd, 2.0), wide(from_red)), wide(from_blue)));
  const HalfFloat of_blue =
      narrow(hn::Sub(hn::Add(hn::Set(dd, 4.0), wide(from_green)), wide(from_red)));
  const HalfFloat sixths =
      hn::IfThenElse(hn::RebindMask(d, hn::Eq(red, most)), of_red,
                     hn::IfThenElse(hn::RebindMask(d, hn::Eq(green, most)), of_green, of_blue));
  // Pillow divides by 6. The product differs in the last bit of a double at most, and a test over
  // all colours shows that this is lost in what follows.
  const Double turn = hn::Add(hn::Mul(wide(sixths), hn::Set(dd, 1.0 / 6.0)), hn::Set(dd, 1.0));
  const Double whole = hn::Set(dd, 1.0);
  const HalfFloat hue = narrow(hn::IfThenElse(hn::Ge(turn, whole), hn::Sub(turn, whole), turn));
  const Double most_value = hn::Set(dd, 255.0);
  return {hn::IfThenElse(coloured, truncated(hn::Mul(wide(hue), most_value)), hn::Zero(di)),
          hn::IfThenElse(coloured, truncated(hn::Mul(wide(saturation), most_value)), hn::Zero(di))};
}

HWY_INLINE HalfInt rounded(Double v) { return truncated(hn::Add(v, hn::Set(Doubles(), 0.5))); }

HWY_INLINE void shift_hue_at(uint8_t* const (&at)[3], HalfInt shift, const HueTables& tables) {
  const Doubles dd;
  const HalfInts di;
  const HalfBytes d8;
  const auto pixel = [&](int c) { return hn::PromoteTo(di, hn::LoadU(d8, at[c])); };
  const HalfInt red = pixel(0);
  const HalfInt green = pixel(1);
  const HalfInt blue = pixel(2);
  const HalfInt most = hn::Max(red, hn::Max(green, blue));
  const HueAndSaturation old = to_hsv(red, green, blue, most);
  const HalfInt hue = hn::And(hn::Add(old.hue, shift), hn::Set(di, 255));

  const Double one = hn::Set(dd, 1.0);
  const Double value = hn::PromoteTo(dd, most);
  const HalfFloats d;
  const HalfInt sector = hn::GatherIndex(di, tables.sector, hue);
  const HalfFloat rest = hn::GatherIndex(d, tables.rest, hue);
  const HalfFloat saturation = hn::GatherIndex(d, tables.saturation, old.saturation);
  const HalfInt p = rounded(hn::Mul(value, hn::Sub(one, wide(saturation))));
  const HalfInt q = rounded(hn::Mul(value, hn::Sub(one, wide(hn::Mul(saturation, rest)))));
  const HalfInt t =
      rounded(hn::Mul(value, hn::Sub(one, hn::Mul(wide(saturation), hn::Sub(one, wide(rest))))));

  const auto is = [&](int number) { return hn::Eq(sector, hn::Set(di, number)); };
  // Sector 6 (hue 255) is sector 0, whose values are the last alternative.
  const HalfInt new_red = hn::IfThenElse(
      is(1), q, hn::IfThenElse(hn::Or(is(2), is(3)), p, hn::IfThenElse(is(4), t, most)));
  const HalfInt new_green =
      hn::IfThenElse(hn::Or(is(1), is(2)), most,
                     hn::IfThenElse(is(3), q, hn::IfThenElse(hn::Or(is(4), is(5)), p, t)));
  const HalfInt new_blue = hn::IfThenElse(
      is(2), t, hn::IfThenElse(hn::Or(is(3), is(4)), most, hn::IfThenElse(is(5), q, p)));
  const auto grey = hn::Eq(old.saturation, hn::Zero(di));
  const auto put = [&](HalfInt colour, int c) {
    hn::StoreU(hn::DemoteTo(d8, hn::IfThenElse(grey, most, colour)), d8, at[c]);
  };
  put(new_red, 0);
  put(new_green, 1);
  put(new_blue, 2);
}

void shift_hue_all(uint8_t* red, uint8_t* green, uint8_t* blue, int64_t count, int32_t shift,
                   const HueTables& tables) {
  const HalfInt by = hn::Set(HalfInts(), shift);
  over_planes<3>({red, green, blue}, count, static_cast<int64_t>(hn::Lanes(Doubles())),
                 [&](uint8_t* const(&at)[3]) { shift_hue_at(at, by, tables); });
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {
namespace {

HWY_EXPORT(shift_hue_all);

const HueTables& hue_tables() {
  static const HueTables tables = [] {
    HueTables out{};
    for (int i = 0; i < 256; ++i) {
      const double sixths = i * 6.0 / 255.0;
      out.sector[i] = static_cast<int32_t>(sixths);
      out.rest[i] = static_cast<float>(sixths - out.sector[i]);
      out.saturation[i] = static_cast<float>(i / 255.0);
    }
    return out;
  }();
  return tables;
}

}  // namespace

void shift_hue(const Planes& planes, uint8_t shift) {
  const size_t count = planes.red.size();
  ADASSL_CHECK(planes.green.size() == count && planes.blue.size() == count,
               "[hue] expected planes of one size, got ", count, ", ", planes.green.size(), " and ",
               planes.blue.size());
  ADASSL_DISPATCH(shift_hue_all)
  (planes.red.data(), planes.green.data(), planes.blue.data(), static_cast<int64_t>(count), shift,
   hue_tables());
}

}  // namespace adassl::kernels
#endif
