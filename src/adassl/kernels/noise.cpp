// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/noise.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "adassl/kernels/noise.h"

#include <algorithm>
#include <array>
#include <numbers>
#include <type_traits>

#include "adassl/core/error.h"

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Doubles = hn::ScalableTag<double>;
using Words = hn::RebindToUnsigned<Doubles>;  // a word of 32 bits in the lower half of each lane
using Floats = hn::Rebind<float, Doubles>;
using Double = hn::Vec<Doubles>;
using Word = hn::Vec<Words>;

constexpr uint64_t kBitsOf2To52 = 0x4330000000000000;  // combined with a word by OR: 2^52 + word
constexpr uint64_t kBitsOfOne = 0x3FF0000000000000;
constexpr uint64_t kBitsOfRootHalf = 0x3FE6A09E667F3BCD;
constexpr uint64_t kExponent = 0x7FF0000000000000;
constexpr uint64_t kLowerHalf = 0xFFFFFFFF;

/// All 64 bits of factor * word. The upper half of the word is ignored.
HWY_INLINE Word product(Word word, uint32_t factor) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(Words(), (hn::GetLane(word) & kLowerHalf) * factor);
#else
  const hn::Repartition<uint32_t, Words> halves;
  return hn::MulEven(hn::BitCast(halves, word), hn::Set(halves, factor));
#endif
}

/// random::philox. The upper halves of the words are undefined on return.
HWY_INLINE void philox(Word& c0, Word& c1, Word& c2, Word& c3, std::array<uint32_t, 2> key) {
  const Words d;
  for (int round = 0; round < 10; ++round) {
    const Word product0 = product(c0, 0xD2511F53);
    const Word product1 = product(c2, 0xCD9E8D57);
    c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product1), c1), hn::Set(d, key[0]));
    c1 = product1;
    c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product0), c3), hn::Set(d, key[1]));
    c3 = product0;
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
}

/// An integer below 2^52 as a double.
HWY_INLINE Double number(Word integer) {
  const Double shifted = hn::BitCast(Doubles(), hn::Or(integer, hn::Set(Words(), kBitsOf2To52)));
  return hn::Sub(shifted, hn::Set(Doubles(), 0x1p52));
}

/// word + 1/2, exactly.
HWY_INLINE Double centred(Word word) {
  const Word lower = hn::And(word, hn::Set(Words(), kLowerHalf));
  return hn::Add(number(lower), hn::Set(Doubles(), 0.5));
}

/// coefficients[0] + coefficients[1] x + ...
template <size_t kCount>
HWY_INLINE Double polynomial(Double x, const std::array<double, kCount>& coefficients) {
  const Doubles d;
  Double sum = hn::Set(d, coefficients[kCount - 1]);
  for (size_t k = kCount - 1; k-- > 0;) {
    sum = hn::Add(hn::Mul(sum, x), hn::Set(d, coefficients[k]));
  }
  return sum;
}

/// sqrt(-2 log((word + 1/2) / 2^32)).
HWY_INLINE Double radius(Word word) {
  // 4 atanh(s) / s in powers of s^2, for 2 log m. As |s| < 0.172, the truncation error is 2e-17.
  constexpr std::array<double, 10> kSeries = {4.0,      4.0 / 3,  4.0 / 5,  4.0 / 7,  4.0 / 9,
                                              4.0 / 11, 4.0 / 13, 4.0 / 15, 4.0 / 17, 4.0 / 19};
  const Doubles d;
  const Words w;
  const Word bits = hn::BitCast(w, centred(word));
  // Shifted so that the exponent changes at 2^e sqrt(1/2): m lies in [sqrt(1/2), sqrt(2)).
  const Word shifted = hn::Add(bits, hn::Set(w, kBitsOfOne - kBitsOfRootHalf));
  const Word exponent = hn::And(shifted, hn::Set(w, kExponent));
  const Double m = hn::BitCast(d, hn::Sub(hn::Add(bits, hn::Set(w, kBitsOfOne)), exponent));
  const Double e = hn::Sub(number(hn::ShiftRight<52>(shifted)), hn::Set(d, 1023 + 32));
  const Double one = hn::Set(d, 1);
  const Double s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const Double log_m = hn::Mul(s, polynomial(hn::Mul(s, s), kSeries));
  return hn::Sqrt(hn::Neg(hn::Add(hn::Mul(e, hn::Set(d, 2 * std::numbers::ln2)), log_m)));
}

constexpr double reciprocal_factorial(int n) { return n < 2 ? 1 : reciprocal_factorial(n - 1) / n; }

/// The coefficients of the powers first, first + 2, ... in the series of cosine (0) or sine (1).
template <size_t kCount>
constexpr std::array<double, kCount> circular_series(int first) {
  std::array<double, kCount> out{};
  for (size_t k = 0; k < kCount; ++k) {
    out[k] = (k % 2 == 0 ? 1 : -1) * reciprocal_factorial(first + 2 * static_cast<int>(k));
  }
  return out;
}

/// Cosine and sine of 2 pi (word + 1/2) / 2^32.
HWY_INLINE void circle(Word word, Double& cosine, Double& sine) {
  constexpr auto kCosine = circular_series<9>(0);  // truncation error 2e-18 for |x| < pi / 4
  constexpr auto kSine = circular_series<8>(1);    // relative truncation error 6e-17
  constexpr uint64_t kEighth = uint64_t{1} << 29;
  const Doubles d;
  const Words w;
  const Word turned = hn::Add(hn::And(word, hn::Set(w, kLowerHalf)), hn::Set(w, kEighth));
  const Word quadrant = hn::ShiftRight<30>(turned);
  const Word rest = hn::And(turned, hn::Set(w, 2 * kEighth - 1));
  const Double x = hn::Mul(hn::Sub(number(rest), hn::Set(d, kEighth - 0.5)),
                           hn::Set(d, 2 * std::numbers::pi * 0x1p-32));
  const Double square = hn::Mul(x, x);
  const Double c = polynomial(square, kCosine);
  const Double s = hn::Mul(x, polynomial(square, kSine));
  // A quarter turn exchanges sine and cosine; the quadrant determines the signs.
  const Word one = hn::Set(w, 1);
  const auto odd = hn::RebindMask(d, hn::TestBit(quadrant, one));
  const Word sign = hn::Set(w, uint64_t{1} << 63);
  const Word below = hn::And(hn::ShiftLeft<62>(quadrant), sign);
  const Word left = hn::And(hn::ShiftLeft<62>(hn::Add(quadrant, one)), sign);
  cosine = hn::Xor(hn::IfThenElse(odd, s, c), hn::BitCast(d, left));
  sine = hn::Xor(hn::IfThenElse(odd, c, s), hn::BitCast(d, below));
}

/// Makes two normal values from two words.
struct Normal {
  static HWY_INLINE void make(Word a, Word b, Double& first, Double& second) {
    circle(b, first, second);
    const Double r = radius(a);
    first = hn::Mul(r, first);
    second = hn::Mul(r, second);
  }
};

/// Makes two uniform values from two words.
struct Uniform {
  static HWY_INLINE Double uniform(Word word) {
    return hn::Mul(centred(word), hn::Set(Doubles(), 0x1p-32));
  }
  static HWY_INLINE void make(Word a, Word b, Double& first, Double& second) {
    first = uniform(a);
    second = uniform(b);
  }
};

/// Makes two columns from two words, for `rows` lanes at `out`. If `columns` is 1, only the first
/// one is written.
template <class Law>
HWY_INLINE void put(Word a, Word b, float* out, int64_t stride, int64_t rows, int64_t columns) {
  const Floats d;
  Double first;
  Double second;
  Law::make(a, b, first, second);
  const auto below_one = hn::Set(d, 1 - 0x1p-24F);  // rounding to float must not yield 1
  const bool uniform = std::is_same_v<Law, Uniform>;
  for (int64_t j = 0; j < std::min<int64_t>(columns, 2); ++j) {
    auto values = hn::DemoteTo(d, j == 0 ? first : second);
    if (uniform) values = hn::Min(values, below_one);
    if (rows >= static_cast<int64_t>(hn::Lanes(d))) {
      hn::StoreU(values, d, out + j * stride);
    } else {
      hn::BlendedStore(values, hn::FirstN(d, static_cast<size_t>(rows)), d, out + j * stride);
    }
  }
}

template <class Law>
HWY_INLINE void fill(const detail::NoiseTile& tile) {
  const Words w;
  const auto lanes = static_cast<int64_t>(hn::Lanes(w));
  for (int64_t i = 0; i < tile.rows; i += lanes) {
    const Word sample = hn::Iota(w, tile.first_row + static_cast<uint64_t>(i));
    for (int64_t j = 0; j < tile.columns; j += 4) {
      Word c0 = hn::Set(w, tile.first_block + static_cast<uint64_t>(j) / 4);
      Word c1 = sample;
      Word c2 = hn::Set(w, tile.step & kLowerHalf);
      Word c3 = hn::Set(w, tile.step >> 32);
      philox(c0, c1, c2, c3, tile.key);
      float* out = tile.out + j * tile.stride + i;
      const int64_t left = tile.columns - j;
      put<Law>(c0, c1, out, tile.stride, tile.rows - i, left);
      if (left > 2) put<Law>(c2, c3, out + 2 * tile.stride, tile.stride, tile.rows - i, left - 2);
    }
  }
}

void fill_normal_tile(const detail::NoiseTile& tile) { fill<Normal>(tile); }
void fill_uniform_tile(const detail::NoiseTile& tile) { fill<Uniform>(tile); }

void box_muller_pairs(const uint32_t* words, float* out, int64_t pairs) {
  const Words w;
  const hn::Rebind<uint32_t, Words> narrow;
  const auto lanes = static_cast<int64_t>(hn::Lanes(w));
  HWY_ALIGN uint32_t a[hn::MaxLanes(w)];
  HWY_ALIGN uint32_t b[hn::MaxLanes(w)];
  HWY_ALIGN float values[2 * hn::MaxLanes(w)];
  for (int64_t i = 0; i < pairs; i += lanes) {
    const int64_t count = std::min(lanes, pairs - i);
    for (int64_t k = 0; k < lanes; ++k) {
      a[k] = words[2 * (i + std::min(k, count - 1))];
      b[k] = words[2 * (i + std::min(k, count - 1)) + 1];
    }
    put<Normal>(hn::PromoteTo(w, hn::Load(narrow, a)), hn::PromoteTo(w, hn::Load(narrow, b)),
                values, lanes, lanes, 2);
    for (int64_t k = 0; k < count; ++k) {
      out[2 * (i + k)] = values[k];
      out[2 * (i + k) + 1] = values[lanes + k];
    }
  }
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {
namespace {

HWY_EXPORT(fill_normal_tile);
HWY_EXPORT(fill_uniform_tile);
HWY_EXPORT(box_muller_pairs);

using FillTile = void (*)(const detail::NoiseTile&);

int64_t whole_rows(size_t size, int64_t columns) {
  ADASSL_CHECK(columns >= 0 && (columns == 0 ? size : size % static_cast<size_t>(columns)) == 0,
               "[random] expected whole rows of ", columns, " columns, got ", size, " values");
  return columns == 0 ? 0 : static_cast<int64_t>(size) / columns;
}

void fill_columns(FillTile fill, std::span<float> out, int64_t columns,
                  const random::Stream& stream, int64_t first_row) {
  const int64_t rows = whole_rows(out.size(), columns);
  fill({out.data(), rows, rows, columns, static_cast<uint32_t>(first_row), 0, stream.key(),
        stream.step()});
}

void fill_rows(FillTile fill, std::span<float> out, int64_t columns, const random::Stream& stream,
               int64_t first_row) {
  constexpr int64_t kRows = 32;
  constexpr int64_t kColumns = 64;
  const int64_t rows = whole_rows(out.size(), columns);
  std::array<float, kRows * kColumns> block;
  for (int64_t i = 0; i < rows; i += kRows) {
    for (int64_t j = 0; j < columns; j += kColumns) {
      const int64_t high = std::min(kRows, rows - i);
      const int64_t wide = std::min(kColumns, columns - j);
      fill({block.data(), kRows, high, wide, static_cast<uint32_t>(first_row + i),
            static_cast<uint32_t>(j / 4), stream.key(), stream.step()});
      for (int64_t k = 0; k < high; ++k) {
        float* row = out.data() + (i + k) * columns + j;
        for (int64_t l = 0; l < wide; ++l) row[l] = block[static_cast<size_t>(l * kRows + k)];
      }
    }
  }
}

}  // namespace

void fill_normal(std::span<float> out, int64_t columns, const random::Stream& stream,
                 int64_t first_row) {
  fill_rows(ADASSL_DISPATCH(fill_normal_tile), out, columns, stream, first_row);
}

void fill_uniform(std::span<float> out, int64_t columns, const random::Stream& stream,
                  int64_t first_row) {
  fill_rows(ADASSL_DISPATCH(fill_uniform_tile), out, columns, stream, first_row);
}

void fill_normal_columns(std::span<float> out, int64_t columns, const random::Stream& stream,
                         int64_t first_row) {
  fill_columns(ADASSL_DISPATCH(fill_normal_tile), out, columns, stream, first_row);
}

void fill_uniform_columns(std::span<float> out, int64_t columns, const random::Stream& stream,
                          int64_t first_row) {
  fill_columns(ADASSL_DISPATCH(fill_uniform_tile), out, columns, stream, first_row);
}

void box_muller(std::span<const uint32_t> words, std::span<float> out) {
  ADASSL_CHECK(words.size() == out.size() && words.size() % 2 == 0,
               "[box_muller] expected pairs of words and as many values, got ", words.size(),
               " words and ", out.size(), " values");
  ADASSL_DISPATCH(box_muller_pairs)
  (words.data(), out.data(), static_cast<int64_t>(words.size() / 2));
}

}  // namespace adassl::kernels
#endif
