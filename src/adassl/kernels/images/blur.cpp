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

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<uint32_t>;
using Word = hn::Vec<Words>;
using WordBytes = hn::Rebind<uint8_t, Words>;

constexpr int64_t kPadding = 64;  // bytes beyond a line that whole vectors may touch

HWY_INLINE Word widened(const uint8_t* from) {
  return hn::PromoteTo(Words(), hn::LoadU(WordBytes(), from));
}

/// A vector of results; `at(d)` is the input at distance d.
template <class At>
HWY_INLINE void blur_vector(const BoxBlur& blur, const At& at, uint8_t* out) {
  const Words d;
  Word sum = widened(at(0));
  for (int64_t k = 1; k <= blur.whole; ++k) {
    sum = hn::Add(sum, hn::Add(widened(at(-k)), widened(at(k))));
  }
  const Word far = hn::Add(widened(at(-blur.whole - 1)), widened(at(blur.whole + 1)));
  const Word total = hn::Add(hn::Add(hn::Mul(sum, hn::Set(d, blur.centre)), hn::Set(d, 1U << 23)),
                             hn::Mul(far, hn::Set(d, blur.edge)));
  const hn::RebindToSigned<Words> di;
  hn::StoreU(hn::DemoteTo(WordBytes(), hn::BitCast(di, hn::ShiftRight<24>(total))), WordBytes(),
             out);
}

/// All passes of one row, in place. `line` has room for the row, its edges and a vector more.
void blur_row(uint8_t* row, int64_t width, const BoxBlur& blur, int passes, uint8_t* line,
              uint8_t* result) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Words()));
  const int64_t margin = blur.whole + 1;
  const uint8_t* from = row;
  for (int pass = 0; pass < passes; ++pass) {
    std::memcpy(line + margin, from, static_cast<size_t>(width));
    std::memset(line, from[0], static_cast<size_t>(margin));
    std::memset(line + margin + width, from[width - 1], static_cast<size_t>(margin));
    for (int64_t x = 0; x < width; x += lanes) {
      blur_vector(
          blur, [&](int64_t distance) { return line + margin + x + distance; }, result + x);
    }
    from = result;
  }
  if (passes > 0) std::memcpy(row, result, static_cast<size_t>(width));
}

/// One pass along the columns; rows of `in` and `out` are `stride` apart, and whole vectors fit.
void blur_columns(const uint8_t* in, uint8_t* out, int64_t width, int64_t height, int64_t stride,
                  const BoxBlur& blur) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Words()));
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; x += lanes) {
      blur_vector(
          blur,
          [&](int64_t distance) {
            return in + std::clamp<int64_t>(y + distance, 0, height - 1) * stride + x;
          },
          out + y * stride + x);
    }
  }
}

void blur_plane(uint8_t* plane, int64_t width, int64_t height, const BoxBlur& blur, int passes) {
  const int64_t stride = width + kPadding;
  thread_local std::vector<uint8_t> room;
  const auto lines = static_cast<size_t>(width + 2 * (blur.whole + 1) + kPadding);
  const auto planes = static_cast<size_t>(stride * height);
  room.resize(std::max(room.size(), lines + static_cast<size_t>(stride) + 2 * planes));
  uint8_t* line = room.data();
  uint8_t* result = line + lines;
  uint8_t* first = result + stride;
  uint8_t* second = first + planes;
  for (int64_t y = 0; y < height; ++y) {
    blur_row(plane + y * width, width, blur, passes, line, result);
    std::memcpy(first + y * stride, plane + y * width, static_cast<size_t>(width));
  }
  for (int pass = 0; pass < passes; ++pass) {
    blur_columns(first, second, width, height, stride, blur);
    std::swap(first, second);
  }
  for (int64_t y = 0; y < height; ++y) {
    std::memcpy(plane + y * width, first + y * stride, static_cast<size_t>(width));
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
  ADASSL_DISPATCH(blur_plane)
  (plane.data(), width, static_cast<int64_t>(plane.size()) / width, blur, passes);
}

}  // namespace adassl::kernels
#endif
