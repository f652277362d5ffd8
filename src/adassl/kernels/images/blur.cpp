// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/images/blur.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include <algorithm>
#include <cstring>
#include <vector>

#include "adassl/core/error.h"
#include "adassl/kernels/images/colour.h"
#include "adassl/kernels/images/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<uint32_t>;
using Word = hn::Vec<Words>;
using WordBytes = hn::Rebind<uint8_t, Words>;

/// A result whose input is `at`; inputs are `step` words apart. kWhole is blur.whole, or -1.
template <int kWhole>
HWY_INLINE Word blurred(const BoxBlur& blur, const uint32_t* at, int64_t step) {
  const Words d;
  const int64_t whole = kWhole < 0 ? blur.whole : kWhole;
  Word sum = hn::Load(d, at);
  for (int64_t k = 1; k <= whole; ++k) {
    sum = hn::Add(sum, hn::Add(hn::Load(d, at - k * step), hn::Load(d, at + k * step)));
  }
  const int64_t far = (whole + 1) * step;
  const Word edges = hn::Add(hn::Load(d, at - far), hn::Load(d, at + far));
  const Word total = hn::Add(hn::Add(hn::Mul(sum, hn::Set(d, blur.centre)), hn::Set(d, 1U << 23)),
                             hn::Mul(edges, hn::Set(d, blur.edge)));
  return hn::ShiftRight<24>(total);
}

/// All passes along a strip of columns, as wide as a vector, in place. In between the values stay
/// words: `first` and `second` each have room for `height` vectors and the replicated edges.
template <int kWhole>
void blur_strip(uint8_t* strip, int64_t height, int64_t stride, const BoxBlur& blur, int passes,
                uint32_t* first, uint32_t* second) {
  const Words d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t margin = blur.whole + 1;
  uint32_t* from = first + margin * lanes;
  uint32_t* to = second + margin * lanes;
  for (int64_t y = 0; y < height; ++y) {
    hn::Store(hn::PromoteTo(d, hn::LoadU(WordBytes(), strip + y * stride)), d, from + y * lanes);
  }
  for (int pass = 0; pass < passes; ++pass) {
    const Word top = hn::Load(d, from), bottom = hn::Load(d, from + (height - 1) * lanes);
    for (int64_t k = 1; k <= margin; ++k) {
      hn::Store(top, d, from - k * lanes);
      hn::Store(bottom, d, from + (height - 1 + k) * lanes);
    }
    for (int64_t y = 0; y < height; ++y) {
      hn::Store(blurred<kWhole>(blur, from + y * lanes, lanes), d, to + y * lanes);
    }
    std::swap(from, to);
  }
  const hn::RebindToSigned<Words> di;
  for (int64_t y = 0; y < height; ++y) {
    const Word value = hn::Load(d, from + y * lanes);
    hn::StoreU(hn::DemoteTo(WordBytes(), hn::BitCast(di, value)), WordBytes(), strip + y * stride);
  }
}

/// Along the columns of an image whose rows are `stride` apart, a multiple of a vector.
void blur_columns(uint8_t* image, int64_t height, int64_t stride, const BoxBlur& blur, int passes,
                  uint32_t* room) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Words()));
  uint32_t* second = room + (height + 2 * (blur.whole + 1)) * lanes;
  const auto strip = blur.whole == 0   ? &blur_strip<0>  // as in views of 64 pixels
                     : blur.whole == 1 ? &blur_strip<1>
                                       : &blur_strip<-1>;
  for (int64_t x = 0; x < stride; x += lanes) {
    strip(image + x, height, stride, blur, passes, room, second);
  }
}

/// Sides are multiples of kWide; `in` has `height` rows of `width` bytes.
void turn(const uint8_t* in, int64_t width, int64_t height, uint8_t* out) {
  const uint8_t* rows[kSide];
  alignas(64) uint8_t columns[kWide * kSide];
  for (int64_t y = 0; y < height; y += kSide) {
    for (int64_t x = 0; x < width; x += kWide) {
      for (int64_t r = 0; r < kSide; ++r) rows[r] = in + (y + r) * width + x;
      columns_of(rows, columns);
      for (int64_t j = 0; j < kWide; ++j) {
        std::memcpy(out + (x + j) * height + y, columns + j * kSide, kSide);
      }
    }
  }
}

void blur_plane(uint8_t* plane, int64_t width, int64_t height, const BoxBlur& blur, int passes) {
  constexpr int64_t kMultiple = 64;  // of all vectors and blocks
  const int64_t wide = (width + kMultiple - 1) / kMultiple * kMultiple;
  const int64_t high = (height + kMultiple - 1) / kMultiple * kMultiple;
  // Kept: they are needed for every image.
  thread_local std::vector<uint8_t> upright, turned;
  thread_local std::vector<uint32_t> words;
  const auto pixels = static_cast<size_t>(wide * high);
  const int64_t lines = 2 * (std::max(width, height) + 2 * (blur.whole + 1));
  upright.resize(std::max(upright.size(), pixels));
  turned.resize(std::max(turned.size(), pixels));
  constexpr size_t kAligned = 16;  // words of a vector
  words.resize(std::max(words.size(), static_cast<size_t>(lines) * hn::Lanes(Words()) + kAligned));
  const auto address = reinterpret_cast<uintptr_t>(words.data());
  uint32_t* room = words.data() + (kAligned - address / sizeof(uint32_t) % kAligned) % kAligned;

  for (int64_t y = 0; y < height; ++y) {
    std::memcpy(upright.data() + y * wide, plane + y * width, static_cast<size_t>(width));
  }
  turn(upright.data(), wide, high, turned.data());
  blur_columns(turned.data(), width, high, blur, passes, room);
  turn(turned.data(), high, wide, upright.data());
  blur_columns(upright.data(), height, wide, blur, passes, room);
  for (int64_t y = 0; y < height; ++y) {
    std::memcpy(plane + y * width, upright.data() + y * wide, static_cast<size_t>(width));
  }
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {
namespace {

HWY_EXPORT(blur_plane);

}  // namespace

void box_blur(std::span<uint8_t> plane, int64_t width, const BoxBlur& blur, int passes) {
  ADASSL_CHECK(width >= 1 && plane.size() % static_cast<size_t>(width) == 0,
               "[blur] expected rows of ", width, " pixels, got ", plane.size(), " bytes");
  ADASSL_CHECK(blur.whole >= 0 && blur.whole < (1 << 16), "[blur] expected a radius below ",
               1 << 16, ", got ", blur.whole);
  if (plane.empty()) return;
  ADASSL_DISPATCH(blur_plane)
  (plane.data(), width, static_cast<int64_t>(plane.size()) / width, blur, passes);
}

}  // namespace adassl::kernels
#endif
