// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/images/jitter.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include <cstring>

#include "adassl/kernels/images/colour.h"
#include "adassl/kernels/images/hue-inl.h"
#include "adassl/kernels/images/planes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

constexpr int64_t kPixels = 256;  // at once: as numbers they stay in the nearest cache

using Words = hn::RebindToUnsigned<Floats>;

/// One colour after another of some pixels, as whole numbers from 0 to 255. Four vectors hold the
/// bytes of one, each those of one place in a word: pixels are not in order, but can be loaded and
/// stored without moving anything from lane to lane.
struct Chunk {
  alignas(64) float colours[3][kPixels];
};

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE hn::Vec<Words> load_words(const uint8_t* from) {
  uint32_t out = 0;
  std::memcpy(&out, from, sizeof out);
  return hn::Set(Words(), out);
}
HWY_INLINE void store_words(hn::Vec<Words> words, uint8_t* to) {
  const uint32_t word = hn::GetLane(words);
  std::memcpy(to, &word, sizeof word);
}
#else
using WordBytes = hn::Repartition<uint8_t, Words>;
HWY_INLINE hn::Vec<Words> load_words(const uint8_t* from) {
  return hn::BitCast(Words(), hn::LoadU(WordBytes(), from));
}
HWY_INLINE void store_words(hn::Vec<Words> words, uint8_t* to) {
  hn::StoreU(hn::BitCast(WordBytes(), words), WordBytes(), to);
}
#endif

void load_chunk(uint8_t* const (&planes)[3], Chunk& chunk) {
  const Floats d;
  const Words dw;
  const hn::RebindToSigned<Floats> di;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto low = hn::Set(dw, 0xff);
  for (int64_t c = 0; c < 3; ++c) {
    for (int64_t i = 0; i < kPixels; i += 4 * lanes) {
      auto bytes = load_words(planes[c] + i);
      for (int64_t place = 0; place < 4; ++place) {
        const auto value = hn::BitCast(di, hn::And(bytes, low));
        hn::Store(hn::ConvertTo(d, value), d, chunk.colours[c] + i + place * lanes);
        bytes = hn::ShiftRight<8>(bytes);
      }
    }
  }
}

void store_chunk(const Chunk& chunk, uint8_t* const (&planes)[3]) {
  const Floats d;
  const Words dw;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto low = hn::Set(dw, 0xff);
  const auto whole = hn::Set(d, 8388608.0F);  // 2^23: the last bits of a sum are the number itself
  for (int64_t c = 0; c < 3; ++c) {
    for (int64_t i = 0; i < kPixels; i += 4 * lanes) {
      auto bytes = hn::Zero(dw);
      for (int64_t place = 3; place >= 0; --place) {
        const auto value = hn::Load(d, chunk.colours[c] + i + place * lanes);
        const auto bits = hn::And(hn::BitCast(dw, hn::Add(value, whole)), low);
        bytes = hn::Or(hn::ShiftLeft<8>(bytes), bits);
      }
      store_words(bytes, planes[c] + i);
    }
  }
}

template <class Work>
HWY_INLINE void over_chunk(Chunk& chunk, const Work& work) {
  const Floats d;
  for (int64_t i = 0; i < kPixels; i += static_cast<int64_t>(hn::Lanes(d))) {
    Float red = hn::Load(d, chunk.colours[0] + i);
    Float green = hn::Load(d, chunk.colours[1] + i);
    Float blue = hn::Load(d, chunk.colours[2] + i);
    work(red, green, blue);
    hn::Store(red, d, chunk.colours[0] + i);
    hn::Store(green, d, chunk.colours[1] + i);
    hn::Store(blue, d, chunk.colours[2] + i);
  }
}

/// clip(base + factor * (value - base)), towards zero.
HWY_INLINE Float blend(Float base, Float value, Float factor) {
  const Floats d;
  const Float sum = hn::Add(base, hn::Mul(factor, hn::Sub(value, base)));
  return hn::Trunc(hn::Min(hn::Max(sum, hn::Zero(d)), hn::Set(d, 255.0F)));
}

/// (19595 R + 38470 G + 7471 B + 2^15) >> 16: below 2^24, so float is exact.
HWY_INLINE Float grey_of(Float red, Float green, Float blue) {
  const Floats d;
  const Float sum =
      hn::Add(hn::Add(hn::Mul(red, hn::Set(d, 19595.0F)), hn::Mul(green, hn::Set(d, 38470.0F))),
              hn::Add(hn::Mul(blue, hn::Set(d, 7471.0F)), hn::Set(d, 32768.0F)));
  return hn::Trunc(hn::Mul(sum, hn::Set(d, 1.0F / 65536)));
}

void take(const ColourStep& step, Chunk& chunk) {
  const Floats d;
  const Float factor = hn::Set(d, step.factor);
  switch (step.kind) {
    case ColourStep::Kind::kBlend: {
      const Float base = hn::Set(d, step.base);
      over_chunk(chunk, [&](Float& red, Float& green, Float& blue) {
        red = blend(base, red, factor);
        green = blend(base, green, factor);
        blue = blend(base, blue, factor);
      });
      break;
    }
    case ColourStep::Kind::kBlendWithGrey:
      over_chunk(chunk, [&](Float& red, Float& green, Float& blue) {
        const Float grey = grey_of(red, green, blue);
        red = blend(grey, red, factor);
        green = blend(grey, green, factor);
        blue = blend(grey, blue, factor);
      });
      break;
    case ColourStep::Kind::kShiftHue: {
      const Float by = hn::Set(d, step.shift);
      over_chunk(chunk,
                 [&](Float& red, Float& green, Float& blue) { turn_hue(by, red, green, blue); });
      break;
    }
  }
}

void change_all(uint8_t* red, uint8_t* green, uint8_t* blue, int64_t count, const ColourStep* steps,
                int64_t number) {
  over_planes<3>({red, green, blue}, count, kPixels, [&](uint8_t* const(&at)[3]) {
    Chunk chunk;
    load_chunk(at, chunk);
    for (int64_t i = 0; i < number; ++i) take(steps[i], chunk);
    store_chunk(chunk, at);
  });
}

void hsv_all(uint8_t* hue, uint8_t* saturation, uint8_t* value, int64_t count) {
  over_planes<3>({hue, saturation, value}, count, kPixels, [&](uint8_t* const(&at)[3]) {
    Chunk chunk;
    load_chunk(at, chunk);
    over_chunk(chunk, [&](Float& first, Float& second, Float& third) {
      to_rgb(first, second, third, first, second, third);
    });
    store_chunk(chunk, at);
  });
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {
namespace {

HWY_EXPORT(change_all);
HWY_EXPORT(hsv_all);

}  // namespace

void change_colours(const Planes& planes, std::span<const ColourStep> steps) {
  ADASSL_DISPATCH(change_all)
  (planes.red.data(), planes.green.data(), planes.blue.data(), count_of(planes), steps.data(),
   static_cast<int64_t>(steps.size()));
}

void rgb_of_hsv(const Planes& planes) {
  ADASSL_DISPATCH(hsv_all)
  (planes.red.data(), planes.green.data(), planes.blue.data(), count_of(planes));
}

}  // namespace adassl::kernels
#endif
