// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/columns.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "adassl/kernels/columns.h"

#include <algorithm>
#include <array>
#include <numbers>
#include <utility>

#include "adassl/core/error.h"

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Float = hn::Vec<Floats>;

HWY_INLINE Float load(const float* from, int64_t count) {
  const Floats d;
  if (count >= static_cast<int64_t>(hn::Lanes(d))) return hn::LoadU(d, from);
  return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(count)), d, from);
}

HWY_INLINE void store(Float values, float* to, int64_t count) {
  const Floats d;
  if (count >= static_cast<int64_t>(hn::Lanes(d))) {
    hn::StoreU(values, d, to);
  } else {
    hn::BlendedStore(values, hn::FirstN(d, static_cast<size_t>(count)), d, to);
  }
}

/// Computes kCount rows of a layer for one vector of samples. The sums of these rows are
/// independent, which hides the latency of the additions.
template <int kCount>
HWY_INLINE void rows_of_layer(const float* weights, const float* in, float* out, int64_t width,
                              Float slope) {
  const Floats d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  Float sums[kCount];
  for (Float& sum : sums) sum = hn::Zero(d);
  for (int64_t j = 0; j < width; ++j) {
    const Float value = hn::Load(d, in + j * lanes);
    for (int k = 0; k < kCount; ++k) {
      sums[k] = hn::Add(sums[k], hn::Mul(hn::Set(d, weights[k * width + j]), value));
    }
  }
  for (int k = 0; k < kCount; ++k) {
    const auto positive = hn::Gt(sums[k], hn::Zero(d));
    hn::Store(hn::IfThenElse(positive, sums[k], hn::Mul(slope, sums[k])), d, out + k * lanes);
  }
}

HWY_INLINE void apply_layer(const float* weights, const float* in, float* out, int64_t width,
                            float slope) {
  const Floats d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const Float phi = hn::Set(d, slope);
  int64_t row = 0;
  for (; row + 5 <= width; row += 5) {
    rows_of_layer<5>(weights + row * width, in, out + row * lanes, width, phi);
  }
  for (; row < width; ++row) {
    rows_of_layer<1>(weights + row * width, in, out + row * lanes, width, phi);
  }
}

void apply_layers(const SquareLayers& layers, const float* z, float* x, int64_t rows) {
  const Floats d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t width = layers.width;
  const int64_t depth = static_cast<int64_t>(layers.weights.size()) / (width * width);
  HWY_ALIGN float first[SquareLayers::kWidest * hn::MaxLanes(d)];
  HWY_ALIGN float second[SquareLayers::kWidest * hn::MaxLanes(d)];
  float* in = first;
  float* out = second;
  for (int64_t i = 0; i < rows; i += lanes) {
    for (int64_t j = 0; j < width; ++j) {
      hn::Store(load(z + j * rows + i, rows - i), d, in + j * lanes);
    }
    for (int64_t layer = 0; layer < depth; ++layer) {
      apply_layer(layers.weights.data() + layer * width * width, in, out, width,
                  layer < layers.activations ? layers.slope : 1);
      std::swap(in, out);
    }
    for (int64_t j = 0; j < width; ++j) {
      store(hn::Load(d, in + j * lanes), x + j * rows + i, rows - i);
    }
  }
}

/// coefficients[0] + coefficients[1] x + ...
template <size_t kCount>
HWY_INLINE Float polynomial(Float x, const std::array<float, kCount>& coefficients) {
  const Floats d;
  Float sum = hn::Set(d, coefficients[kCount - 1]);
  for (size_t k = kCount - 1; k-- > 0;) {
    sum = hn::Add(hn::Mul(sum, x), hn::Set(d, coefficients[k]));
  }
  return sum;
}

/// exp(-|v|) = 2^k exp(r) with |r| <= log(2) / 2, where exp(r) is a power series. |v| is limited to
/// 80.
HWY_INLINE Float exp_of_minus_abs(Float v) {
  constexpr std::array<float, 8> kSeries = {1,         1,          1.0F / 2,   1.0F / 6,
                                            1.0F / 24, 1.0F / 120, 1.0F / 720, 1.0F / 5040};
  constexpr float kLog2High = 0.693359375F;  // so few bits that its product with k is exact
  constexpr float kLog2Low = -2.12194440e-4F;
  constexpr float kRounder = 0x1.8p23F;  // adding it leaves the nearest integer in the lowest bits
  const Floats d;
  const hn::RebindToSigned<Floats> di;
  const Float x = hn::Neg(hn::Min(hn::Abs(v), hn::Set(d, 80)));
  const Float shifted =
      hn::Add(hn::Mul(x, hn::Set(d, std::numbers::log2e_v<float>)), hn::Set(d, kRounder));
  const Float k = hn::Sub(shifted, hn::Set(d, kRounder));
  const Float r =
      hn::Sub(hn::Sub(x, hn::Mul(k, hn::Set(d, kLog2High))), hn::Mul(k, hn::Set(d, kLog2Low)));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, shifted));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, polynomial(r, kSeries)), exponent));
}

/// log(1 + exp(v)) = max(v, 0) + 2 atanh(s) with s = e / (2 + e), e = exp(-|v|): s is at most 1/3.
HWY_INLINE Float softplus(Float v) {
  constexpr std::array<float, 8> kSeries = {2.0F,     2.0F / 3,  2.0F / 5,  2.0F / 7,
                                            2.0F / 9, 2.0F / 11, 2.0F / 13, 2.0F / 15};
  const Floats d;
  const Float e = exp_of_minus_abs(v);
  const Float s = hn::Div(e, hn::Add(hn::Set(d, 2), e));
  return hn::Add(hn::Max(v, hn::Zero(d)), hn::Mul(s, polynomial(hn::Mul(s, s), kSeries)));
}

void root_of_softplus_all(float* values, int64_t count) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Floats()));
  for (int64_t i = 0; i < count; i += lanes) {
    store(hn::Sqrt(softplus(load(values + i, count - i))), values + i, count - i);
  }
}

void sigmoid_all(float* values, int64_t count) {
  const Floats d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const Float one = hn::Set(d, 1);
  for (int64_t i = 0; i < count; i += lanes) {
    const Float v = load(values + i, count - i);
    const Float e = exp_of_minus_abs(v);
    const Float above = hn::IfThenElse(hn::Gt(v, hn::Zero(d)), one, e);
    store(hn::Div(above, hn::Add(one, e)), values + i, count - i);
  }
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {
namespace {

HWY_EXPORT(apply_layers);
HWY_EXPORT(root_of_softplus_all);
HWY_EXPORT(sigmoid_all);

}  // namespace

void apply(const SquareLayers& layers, std::span<const float> z, std::span<float> x) {
  const int64_t width = layers.width;
  ADASSL_CHECK(width >= 1 && width <= SquareLayers::kWidest, "[layers] expected a width from 1 to ",
               SquareLayers::kWidest, ", got ", width);
  const auto wide = static_cast<size_t>(width);
  ADASSL_CHECK(layers.weights.size() % (wide * wide) == 0, "[layers] expected matrices of ", width,
               " x ", width, ", got ", layers.weights.size(), " weights");
  ADASSL_CHECK(z.size() % wide == 0 && z.size() == x.size(), "[layers] expected samples of ", width,
               " features in and out, got ", z.size(), " and ", x.size(), " values");
  ADASSL_DISPATCH(apply_layers)(layers, z.data(), x.data(), static_cast<int64_t>(z.size() / wide));
}

void root_of_softplus(std::span<float> values) {
  ADASSL_DISPATCH(root_of_softplus_all)(values.data(), static_cast<int64_t>(values.size()));
}

void sigmoid(std::span<float> values) {
  ADASSL_DISPATCH(sigmoid_all)(values.data(), static_cast<int64_t>(values.size()));
}

}  // namespace adassl::kernels
#endif
