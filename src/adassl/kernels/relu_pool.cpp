// Max pooling behind a norm and a ReLU (relu_pool.h), for each instruction set, with channels in
// vectors. Forward, a task computes rows of windows: it walks over the taps of a window and keeps
// the largest activation and its tap. Backward, a task computes rows of pixels: of the windows that
// contain a pixel it adds those whose tap is there, in their order. So every number is written by
// one task, and nothing is scattered.

#include "adassl/kernels/relu_pool.h"

#include <algorithm>
#include <vector>

#include "adassl/core/error.h"
#include "adassl/kernels/threads.h"

// simd.h says for which targets, before foreach_target.h asks.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/relu_pool.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "adassl/kernels/bf16-inl.h"
#include "adassl/kernels/over-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> read(D d, const float* from) {
  return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE hn::Vec<D> read(D d, const Bf16* from) {
  return load(d, from);
}
template <class D>
HWY_INLINE void write(D d, hn::Vec<D> v, float* to) {
  hn::StoreU(v, d, to);
}
template <class D>
HWY_INLINE void write(D d, hn::Vec<D> v, Bf16* to) {
  store(d, v, to);
}

/// The numbers as they are once they are stored.
template <class D>
HWY_INLINE hn::Vec<D> as_stored(D /*d*/, hn::Vec<D> v, const float* /*type*/) {
  return v;
}
template <class D>
HWY_INLINE hn::Vec<D> as_stored(D d, hn::Vec<D> v, const Bf16* /*type*/) {
  return upper(d, rounded(d, v));
}

template <class D>
using Integers = hn::RebindToSigned<D>;

template <class D>
HWY_INLINE void store_taps(D /*d*/, hn::Vec<Integers<D>> taps, uint8_t* to) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    *to = static_cast<uint8_t>(hn::GetLane(taps));
  } else {
    const hn::Rebind<uint8_t, D> bytes;
    hn::StoreU(hn::DemoteTo(bytes, taps), bytes, to);
  }
}
template <class D>
HWY_INLINE hn::Vec<Integers<D>> load_taps(D /*d*/, const uint8_t* from) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::Set(Integers<D>(), *from);
  } else {
    return hn::PromoteTo(Integers<D>(), hn::LoadU(hn::Rebind<uint8_t, D>(), from));
  }
}

/// The windows of one row of an image; `x` is the image, and y and taps are the row.
template <class T>
HWY_INLINE void pool_row(const PoolSizes& s, int64_t row, const T* x, const float* scale,
                         const float* offset, T* y, uint8_t* taps) {
  const int64_t top = row * s.stride[0] - s.padding[0];
  const int64_t first_row = std::max<int64_t>(0, top);
  const int64_t last_row = std::min(s.height, top + s.kernel[0]);
  for (int64_t column = 0; column < s.out_width(); ++column, y += s.channels, taps += s.channels) {
    const int64_t left = column * s.stride[1] - s.padding[1];
    const int64_t first_column = std::max<int64_t>(0, left);
    const int64_t last_column = std::min(s.width, left + s.kernel[1]);
    over(s.channels, [&](auto d, int64_t c) HWY_ATTR {
      const Integers<decltype(d)> integers;
      const auto a = hn::LoadU(d, scale + c);
      const auto b = hn::LoadU(d, offset + c);
      auto best = hn::Set(d, -1.0F);  // below all activations
      auto tap = hn::Zero(integers);
      for (int64_t h = first_row; h < last_row; ++h) {
        for (int64_t w = first_column; w < last_column; ++w) {
          const auto in = read(d, x + (h * s.width + w) * s.channels + c);
          const auto mapped = hn::MulAdd(in, a, b);
          const auto active = hn::IfThenZeroElse(hn::Lt(mapped, hn::Zero(d)), mapped);
          const auto here = as_stored(d, active, x);
          // What is not a number is not hidden.
          const auto better = hn::Or(hn::Gt(here, best), hn::Not(hn::Eq(here, here)));
          const auto number = static_cast<int32_t>((h - top) * s.kernel[1] + (w - left));
          best = hn::IfThenElse(better, here, best);
          tap = hn::IfThenElse(hn::RebindMask(integers, better), hn::Set(integers, number), tap);
        }
      }
      const auto closed = hn::RebindMask(integers, hn::Eq(best, hn::Zero(d)));
      store_taps(d, hn::IfThenElse(closed, hn::Set(integers, kClosed), tap), taps + c);
      write(d, best, y + c);
    });
  }
}

void pool_row_float(const PoolSizes& s, int64_t row, const float* x, const float* scale,
                    const float* offset, float* y, uint8_t* taps) {
  pool_row(s, row, x, scale, offset, y, taps);
}
void pool_row_bf16(const PoolSizes& s, int64_t row, const Bf16* x, const float* scale,
                   const float* offset, Bf16* y, uint8_t* taps) {
  pool_row(s, row, x, scale, offset, y, taps);
}

/// The windows along one axis that contain the pixel at `at`.
struct Windows {
  Windows(int64_t at, int64_t kernel, int64_t stride, int64_t padding, int64_t count)
      : first((std::max<int64_t>(0, at + padding - kernel + 1) + stride - 1) / stride),
        last(std::min(count, (at + padding) / stride + 1)) {}
  int64_t first, last;  // `last` is the first one behind them
};

/// The gradients of one row of pixels; `dy` and `taps` are those of the image, and g is the row.
template <class T>
HWY_INLINE void gradient_row(const PoolSizes& s, int64_t row, const T* dy, const uint8_t* taps,
                             T* g) {
  const int64_t out_width = s.out_width();
  const Windows rows(row, s.kernel[0], s.stride[0], s.padding[0], s.out_height());
  for (int64_t column = 0; column < s.width; ++column, g += s.channels) {
    const Windows columns(column, s.kernel[1], s.stride[1], s.padding[1], out_width);
    over(s.channels, [&](auto d, int64_t c) HWY_ATTR {
      const Integers<decltype(d)> integers;
      auto sum = hn::Zero(d);
      for (int64_t i = rows.first; i < rows.last; ++i) {
        const int64_t down = row + s.padding[0] - i * s.stride[0];
        for (int64_t j = columns.first; j < columns.last; ++j) {
          const int64_t across = column + s.padding[1] - j * s.stride[1];
          const int64_t at = (i * out_width + j) * s.channels + c;
          const auto here = hn::Set(integers, static_cast<int32_t>(down * s.kernel[1] + across));
          const auto chosen = hn::RebindMask(d, hn::Eq(load_taps(d, taps + at), here));
          sum = hn::Add(sum, hn::IfThenElseZero(chosen, read(d, dy + at)));
        }
      }
      write(d, sum, g + c);
    });
  }
}

void gradient_row_float(const PoolSizes& s, int64_t row, const float* dy, const uint8_t* taps,
                        float* g) {
  gradient_row(s, row, dy, taps, g);
}
void gradient_row_bf16(const PoolSizes& s, int64_t row, const Bf16* dy, const uint8_t* taps,
                       Bf16* g) {
  gradient_row(s, row, dy, taps, g);
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {
namespace {

HWY_EXPORT(pool_row_float);
HWY_EXPORT(pool_row_bf16);
HWY_EXPORT(gradient_row_float);
HWY_EXPORT(gradient_row_bf16);

void require(const PoolSizes& s) {
  const auto fits = [](int64_t size, int64_t kernel, int64_t stride, int64_t padding) {
    // With less padding than half of a kernel, every window contains a pixel.
    return kernel > 0 && stride > 0 && padding >= 0 && 2 * padding <= kernel &&
           size + 2 * padding >= kernel;
  };
  ADASSL_CHECK(s.images > 0 && s.channels > 0 && s.height > 0 && s.width > 0 &&
                   fits(s.height, s.kernel[0], s.stride[0], s.padding[0]) &&
                   fits(s.width, s.kernel[1], s.stride[1], s.padding[1]) &&
                   s.kernel[0] * s.kernel[1] <= kClosed,
               "[relu_pool] nothing comes of ", s.images, " pictures of ", s.height, " x ", s.width,
               " x ", s.channels, " and a kernel of ", s.kernel[0], " x ", s.kernel[1]);
}

/// Calls work(image, row) for all rows of all images, on all threads.
template <class Work>
void for_rows(int64_t images, int64_t rows, const Work& work) {
  constexpr int64_t kTasks = 1 << 16;  // at most
  const int64_t all = images * rows;
  const int64_t each = (all + kTasks - 1) / kTasks;
  parallel_for((all + each - 1) / each, [&](int64_t task) {
    for (int64_t i = task * each; i < std::min(all, (task + 1) * each); ++i) {
      work(i / rows, i % rows);
    }
  });
}

template <class T, class Row>
void pool_all(const PoolSizes& s, const T* x, const ChannelMap& map, T* y, uint8_t* taps,
              const Row& pool) {
  require(s);
  ADASSL_CHECK(std::ssize(map.scale) == s.channels, "[relu_pool] expected ", s.channels,
               " channels, got ", map.scale.size());
  const int64_t picture = s.height * s.width * s.channels;
  const int64_t row_size = s.out_width() * s.channels;
  for_rows(s.images, s.out_height(), [&](int64_t image, int64_t row) {
    const int64_t at = (image * s.out_height() + row) * row_size;
    pool(s, row, x + image * picture, map.scale.data(), map.offset.data(), y + at, taps + at);
  });
}

template <class T, class Row>
void gradient_all(const PoolSizes& s, const T* dy, const uint8_t* taps, T* g, const Row& gradient) {
  require(s);
  const int64_t pooled = s.out_height() * s.out_width() * s.channels;
  const int64_t row_size = s.width * s.channels;
  for_rows(s.images, s.height, [&](int64_t image, int64_t row) {
    gradient(s, row, dy + image * pooled, taps + image * pooled,
             g + (image * s.height + row) * row_size);
  });
}

}  // namespace

void relu_pool(const PoolSizes& sizes, const float* x, const ChannelMap& map, float* y,
               uint8_t* taps) {
  pool_all(sizes, x, map, y, taps, ADASSL_DISPATCH(pool_row_float));
}

void relu_pool(const PoolSizes& sizes, const Bf16* x, const ChannelMap& map, Bf16* y,
               uint8_t* taps) {
  pool_all(sizes, x, map, y, taps, ADASSL_DISPATCH(pool_row_bf16));
}

void relu_pool_backward(const PoolSizes& sizes, const float* dy, const uint8_t* taps, float* g) {
  gradient_all(sizes, dy, taps, g, ADASSL_DISPATCH(gradient_row_float));
}

void relu_pool_backward(const PoolSizes& sizes, const Bf16* dy, const uint8_t* taps, Bf16* g) {
  gradient_all(sizes, dy, taps, g, ADASSL_DISPATCH(gradient_row_bf16));
}

}  // namespace adassl::kernels
#endif  // HWY_ONCE
