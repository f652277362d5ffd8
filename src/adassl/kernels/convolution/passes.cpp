// The passes of passes.h over bfloat16 numbers [pixels, channels], for each instruction set. A
// number is widened to float32, the formula is computed there, and the result is rounded
// (bf16-inl.h).
// The functions named *_all are the loops over pixels, with channels in vectors. Those that gather
// sums walk down one vector of channels at a time, so that the sums stay in registers.

#include "adassl/kernels/convolution/passes.h"

#include <algorithm>
#include <cstring>

// simd.h says for which targets, before foreach_target.h asks.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/convolution/passes.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "adassl/kernels/bf16-inl.h"
#include "adassl/kernels/over-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void round_all(int64_t count, const float* from, Bf16* to) {
  over(count, [&](auto d, int64_t i) HWY_ATTR { store(d, hn::LoadU(d, from + i), to + i); });
}

void widen_all(int64_t count, const Bf16* from, float* to) {
  over(count, [&](auto d, int64_t i) HWY_ATTR { hn::StoreU(load(d, from + i), d, to + i); });
}

template <class D>
HWY_INLINE hn::Vec<D> mapped(D d, hn::Vec<D> x, const Activation& activation, int64_t c) {
  return hn::MulAdd(x, hn::LoadU(d, activation.scale + c), hn::LoadU(d, activation.offset + c));
}

template <class D>
HWY_INLINE hn::Vec<D> activated(D d, hn::Vec<D> x, const Activation& activation, int64_t c) {
  const auto y = mapped(d, x, activation, c);
  // Not Max, which would hide what is not a number behind a 0.
  return hn::IfThenZeroElse(hn::Lt(y, hn::Zero(d)), y);
}

void activate_all(int64_t pixels, int64_t channels, const Bf16* from, const Activation& activation,
                  int64_t depth, Bf16* to) {
  for (int64_t i = 0; i < pixels; ++i, from += channels, to += depth) {
    over(channels, [&](auto d, int64_t c) HWY_ATTR {
      store(d, activated(d, load(d, from + c), activation, c), to + c);
    });
    std::fill(to + channels, to + depth, Bf16{0});
  }
}

void add_shortcut_all(int64_t pixels, int64_t channels, const Bf16* x, const Activation& map,
                      const Shortcut& shortcut, Bf16* y) {
  for (int64_t i = 0; i < pixels; ++i, x += channels, y += channels) {
    const Bf16* other = shortcut.other + i * channels;
    over(channels, [&](auto d, int64_t c) HWY_ATTR {
      auto added = load(d, other + c);
      if (shortcut.map.scale != nullptr) added = mapped(d, added, shortcut.map, c);
      if (shortcut.positive) added = hn::IfThenZeroElse(hn::Lt(added, hn::Zero(d)), added);
      const auto sum = hn::Add(mapped(d, load(d, x + c), map, c), added);
      store(d, hn::IfThenZeroElse(hn::Lt(sum, hn::Zero(d)), sum), y + c);
    });
  }
}

void through_norm_all(int64_t pixels, int64_t channels, const Bf16* g, const Bf16* x,
                      const NormSlope& norm, int64_t depth, Bf16* to) {
  for (int64_t i = 0; i < pixels; ++i, g += channels, x += channels, to += depth) {
    over(channels, [&](auto d, int64_t c) HWY_ATTR {
      const auto rest =
          hn::MulAdd(load(d, x + c), hn::LoadU(d, norm.slope + c), hn::LoadU(d, norm.shift + c));
      store(d, hn::MulAdd(load(d, g + c), hn::LoadU(d, norm.scale + c), rest), to + c);
    });
    std::fill(to + channels, to + depth, Bf16{0});
  }
}

template <class D>
HWY_INLINE void add_to(D d, hn::Vec<D> v, float* to) {
  hn::StoreU(hn::Add(hn::LoadU(d, to), v), d, to);
}

void write_outputs_all(const Target& to, const float* c, const Bf16* about, float* sum,
                       float* squares) {
  over(to.columns, [&](auto d, int64_t column) HWY_ATTR {
    store(d, hn::LoadU(d, c + column), to.y + column);  // which may be what the sums are about
    const auto origin = load(d, about + column);
    auto total = hn::Zero(d);
    auto square = hn::Zero(d);
    for (int64_t m = 0; m < to.rows; ++m) {
      const auto words = rounded(d, hn::LoadU(d, c + m * kColumns + column));
      store_upper(d, words, to.y + m * to.stride + column);
      const auto from_origin = hn::Sub(upper(d, words), origin);
      total = hn::Add(total, from_origin);
      square = hn::MulAdd(from_origin, from_origin, square);
    }
    add_to(d, total, sum + column);
    add_to(d, square, squares + column);
  });
}

/// Gradient words, already rounded, where the activation at this place lets them through; their
/// sums are added.
template <class D>
HWY_INLINE hn::Vec<Words<D>> let_through(D d, hn::Vec<Words<D>> gradient, const Activated& by,
                                         int64_t at, int64_t c, hn::Vec<D>& sum,
                                         hn::Vec<D>& weighted) {
  const Words<D> words;
  const auto in = load(d, by.x + at);
  const auto active =
      by.joined == nullptr ? mapped(d, in, by.activation, c) : load(d, by.joined + at);
  const auto off = hn::RebindMask(words, hn::Le(active, hn::Zero(d)));
  const auto through = hn::IfThenZeroElse(off, gradient);
  const auto g = upper(d, through);
  sum = hn::Add(sum, g);
  weighted = hn::MulAdd(g, hn::Sub(in, hn::LoadU(d, by.mean + c)), weighted);
  return through;
}

void write_gradients_all(const Target& to, const float* c, const Activated& by, float* sum,
                         float* weighted) {
  over(to.columns, [&](auto d, int64_t column) HWY_ATTR {
    auto total = hn::Zero(d);
    auto about_mean = hn::Zero(d);
    for (int64_t m = 0; m < to.rows; ++m) {
      const int64_t at = m * to.stride + column;
      auto g = hn::LoadU(d, c + m * kColumns + column);
      if (by.addend != nullptr) g = hn::Add(g, load(d, by.addend + at));
      auto words = rounded(d, g);
      if (by.x != nullptr) words = let_through(d, words, by, at, column, total, about_mean);
      store_upper(d, words, to.y + at);
    }
    if (by.x == nullptr) return;
    add_to(d, total, sum + column);
    add_to(d, about_mean, weighted + column);
  });
}

void mean_all(int64_t pixels, int64_t channels, const Bf16* x, const Activation& activation,
              float* y) {
  const float share = 1.0F / static_cast<float>(pixels);
  over(channels, [&](auto d, int64_t c) HWY_ATTR {
    auto sum = hn::Zero(d);
    for (int64_t i = 0; i < pixels; ++i) {
      const auto in = load(d, x + i * channels + c);
      sum = hn::Add(sum, activation.scale == nullptr ? in : activated(d, in, activation, c));
    }
    hn::StoreU(hn::Mul(sum, hn::Set(d, share)), d, y + c);
  });
}

void spread_all(int64_t pixels, int64_t channels, const float* dy, const Activated& by, Bf16* g,
                float* sum, float* weighted) {
  const float share = 1.0F / static_cast<float>(pixels);
  over(channels, [&](auto d, int64_t c) HWY_ATTR {
    const auto words = rounded(d, hn::Mul(hn::LoadU(d, dy + c), hn::Set(d, share)));
    auto total = hn::Zero(d);
    auto about_mean = hn::Zero(d);
    for (int64_t i = 0; i < pixels; ++i) {
      const int64_t at = i * channels + c;
      store_upper(d, let_through(d, words, by, at, c, total, about_mean), g + at);
    }
    add_to(d, total, sum + c);
    add_to(d, about_mean, weighted + c);
  });
}

void sum_all(int64_t pixels, int64_t channels, const Bf16* g, const Activated& by, float* sum,
             float* weighted) {
  over(channels, [&](auto d, int64_t c) HWY_ATTR {
    const auto mean = hn::LoadU(d, by.mean + c);
    auto total = hn::Zero(d);
    auto about_mean = hn::Zero(d);
    for (int64_t i = 0; i < pixels; ++i) {
      const int64_t at = i * channels + c;
      const auto here = load(d, g + at);
      total = hn::Add(total, here);
      about_mean = hn::MulAdd(here, hn::Sub(load(d, by.x + at), mean), about_mean);
    }
    add_to(d, total, sum + c);
    add_to(d, about_mean, weighted + c);
  });
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {

HWY_EXPORT(round_all);
HWY_EXPORT(widen_all);
HWY_EXPORT(activate_all);
HWY_EXPORT(add_shortcut_all);
HWY_EXPORT(through_norm_all);
HWY_EXPORT(write_outputs_all);
HWY_EXPORT(write_gradients_all);
HWY_EXPORT(mean_all);
HWY_EXPORT(spread_all);
HWY_EXPORT(sum_all);

void round_to_bf16(int64_t count, const float* from, Bf16* to) {
  ADASSL_DISPATCH(round_all)(count, from, to);
}

void widen(int64_t count, const Bf16* from, float* to) {
  ADASSL_DISPATCH(widen_all)(count, from, to);
}

void activate(int64_t pixels, int64_t channels, const Bf16* from, const Activation& activation,
              int64_t depth, Bf16* to) {
  if (activation.scale != nullptr) {
    ADASSL_DISPATCH(activate_all)(pixels, channels, from, activation, depth, to);
    return;
  }
  if (channels == depth) {
    std::copy_n(from, pixels * channels, to);
    return;
  }
  for (int64_t i = 0; i < pixels; ++i, from += channels, to += depth) {
    std::copy_n(from, channels, to);
    std::fill(to + channels, to + depth, Bf16{0});
  }
}

void add_shortcut(int64_t pixels, int64_t channels, const Bf16* x, const Activation& map,
                  const Shortcut& shortcut, Bf16* y) {
  ADASSL_DISPATCH(add_shortcut_all)(pixels, channels, x, map, shortcut, y);
}

void through_norm(int64_t pixels, int64_t channels, const Bf16* g, const Bf16* x,
                  const NormSlope& norm, int64_t depth, Bf16* to) {
  ADASSL_DISPATCH(through_norm_all)(pixels, channels, g, x, norm, depth, to);
}

void write_outputs(const Target& to, const float* c, const Bf16* about, float* sum,
                   float* squares) {
  ADASSL_DISPATCH(write_outputs_all)(to, c, about, sum, squares);
}

void write_gradients(const Target& to, const float* c, const Activated& by, float* sum,
                     float* weighted) {
  ADASSL_DISPATCH(write_gradients_all)(to, c, by, sum, weighted);
}

void sum_gradients(int64_t pixels, int64_t channels, const Bf16* g, const Activated& by, float* sum,
                   float* weighted) {
  ADASSL_DISPATCH(sum_all)(pixels, channels, g, by, sum, weighted);
}

void mean_of_activations(int64_t pixels, int64_t channels, const Bf16* x,
                         const Activation& activation, float* y) {
  ADASSL_DISPATCH(mean_all)(pixels, channels, x, activation, y);
}

void spread_gradient(int64_t pixels, int64_t channels, const float* dy, const Activated& by,
                     Bf16* g, float* sum, float* weighted) {
  ADASSL_DISPATCH(spread_all)(pixels, channels, dy, by, g, sum, weighted);
}

}  // namespace adassl::kernels
#endif  // HWY_ONCE
