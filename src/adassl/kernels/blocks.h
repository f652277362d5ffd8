#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

/// How kernels lay out matrices: samples in blocks of 64, feature-major, so that a vector holds
/// samples; weights in panels of 6 rows.
namespace adassl::kernels {

constexpr int64_t kBlock = 64;  // samples per block, the same on every machine
constexpr int64_t kPanel = 6;   // rows per panel

constexpr int64_t blocks_of(int64_t samples) { return (samples + kBlock - 1) / kBlock; }
constexpr int64_t padded_to(int64_t count, int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

/// An array that begins at a cache line and never shrinks, so that nothing is allocated after the
/// first training step. Its content is undefined after `resize`.
template <class T>
class BufferOf {
 public:
  void resize(int64_t count) {
    if (count <= capacity_) return;
    data_.reset();
    capacity_ = 0;
    const auto bytes = static_cast<size_t>(padded_to(count * int64_t{sizeof(T)}, 64));
    data_.reset(static_cast<T*>(std::aligned_alloc(64, bytes)));
    if (!data_) throw std::bad_alloc();
#if defined(__SANITIZE_ADDRESS__)
    std::memset(data_.get(), 0xFF, bytes);  // NaN, so that a read of undefined content shows
#endif
    capacity_ = count;
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  int64_t bytes() const { return capacity_ * static_cast<int64_t>(sizeof(T)); }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  std::unique_ptr<T, Free> data_;
  int64_t capacity_ = 0;
};

using Buffer = BufferOf<float>;

/// Copies rows[samples][features] to block[features][64]. Missing samples become 0.
template <class T>
void pack_block(const T* rows, int64_t samples, int64_t features, T* block) {
  for (int64_t j = 0; j < samples; ++j) {
    for (int64_t f = 0; f < features; ++f) block[f * kBlock + j] = rows[j * features + f];
  }
  if (samples == kBlock) return;
  for (int64_t f = 0; f < features; ++f) {
    std::fill(block + f * kBlock + samples, block + (f + 1) * kBlock, T{0});
  }
}

inline void unpack_block(const float* block, int64_t samples, int64_t features, float* rows) {
  for (int64_t j = 0; j < samples; ++j) {
    for (int64_t f = 0; f < features; ++f) rows[j * features + f] = block[f * kBlock + j];
  }
}

/// Copies entry (m, c) of a matrix, data[m * row_stride + c * column_stride], to panels[m / 6][c][m
/// % 6].
inline void pack_panels(const float* data, int64_t rows, int64_t depth, int64_t row_stride,
                        int64_t column_stride, float* panels) {
  // Tiles are one cache line deep. Rows whose distance is a power of two share a cache set, so only
  // a few of their lines can be in the cache at once.
  constexpr int64_t kHigh = 16 * kPanel;
  constexpr int64_t kDeep = 16;
  const auto pack = [&](int64_t first, int64_t high, int64_t from, int64_t to) {
    float* panel = panels + first * depth;
    const float* row = data + first * row_stride;
    if (row_stride == 1 && high == kPanel) {
      for (int64_t c = from; c < to; ++c) {
        std::copy_n(row + c * column_stride, kPanel, panel + c * kPanel);
      }
      return;
    }
    for (int64_t c = from; c < to; ++c) {
      for (int64_t m = 0; m < high; ++m) {
        panel[c * kPanel + m] = row[m * row_stride + c * column_stride];
      }
    }
  };
  for (int64_t top = 0; top < rows; top += kHigh) {
    const int64_t end = std::min(rows, top + kHigh);
    for (int64_t from = 0; from < depth; from += kDeep) {
      const int64_t to = std::min(depth, from + kDeep);
      int64_t first = top;
      for (; first + kPanel <= end; first += kPanel) pack(first, kPanel, from, to);
      if (first < end) pack(first, end - first, from, to);
    }
  }
}

}  // namespace adassl::kernels
