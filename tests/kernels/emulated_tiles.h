#pragma once

#include <array>
#include <bit>
#include <cstring>

#include <gtest/gtest.h>

#include "adassl/kernels/convolution/tile_product.h"

/// AMX in plain loops, as the manual of its instructions tells it, so that what is built on tiles
/// is tested where there are none.
namespace adassl::kernels {

/// The eight tiles of a thread. What the machine would refuse fails a test.
class TileFile {
 public:
  static TileFile& mine() {
    static thread_local TileFile file;
    return file;
  }

  /// LDTILECFG, from the 64 bytes that it reads.
  void configure(const void* from) {
    std::array<unsigned char, 64> bytes;
    std::memcpy(bytes.data(), from, bytes.size());
    ASSERT_EQ(bytes[0], 1) << "the palette";
    for (size_t i = 1; i < 16; ++i) ASSERT_EQ(bytes[i], 0) << i;
    for (size_t t = 0; t < 8; ++t) {
      const int of_row = bytes[16 + 2 * t] + 256 * bytes[17 + 2 * t];
      const int of_tile = bytes[48 + t];
      ASSERT_TRUE(of_row >= 1 && of_row <= 64 && of_tile >= 1 && of_tile <= 16) << "#GP";
      tiles_[t] = {of_tile, of_row, {}};
    }
    for (size_t i = 8; i < 16; ++i) ASSERT_EQ(bytes[16 + 2 * i] + bytes[48 + i], 0) << i;
  }
  void release() { tiles_ = {}; }

  void zero(size_t tile) { tiles_[tile].data = {}; }
  void load(size_t tile, const void* from, int64_t row_bytes) {
    Tile& to = tiles_[tile];
    ASSERT_GT(to.rows, 0) << "#UD: not configured";
    for (int64_t row = 0; row < to.rows; ++row) {
      to.data[static_cast<size_t>(row)] = {};
      std::memcpy(to.data[static_cast<size_t>(row)].data(),
                  static_cast<const unsigned char*>(from) + row * row_bytes,
                  static_cast<size_t>(to.bytes));
    }
  }
  void store(size_t tile, void* to, int64_t row_bytes) const {
    const Tile& from = tiles_[tile];
    ASSERT_GT(from.rows, 0) << "#UD: not configured";
    for (int64_t row = 0; row < from.rows; ++row) {
      std::memcpy(static_cast<unsigned char*>(to) + row * row_bytes,
                  from.data[static_cast<size_t>(row)].data(), static_cast<size_t>(from.bytes));
    }
  }
  /// TDPBF16PS.
  void add_product(size_t to_sum, size_t of_left, size_t of_right) {
    Tile& sum = tiles_[to_sum];
    const Tile& left = tiles_[of_left];
    const Tile& right = tiles_[of_right];
    ASSERT_EQ(sum.rows, left.rows) << "#UD";
    ASSERT_EQ(sum.bytes, right.bytes) << "#UD";
    ASSERT_EQ(left.bytes, 4 * right.rows) << "#UD";
    for (int64_t m = 0; m < sum.rows; ++m) {
      for (int64_t k = 0; k < right.rows; ++k) {
        for (int64_t n = 0; n < sum.bytes / 4; ++n) {
          float& to = reinterpret_cast<float*>(sum.data[static_cast<size_t>(m)].data())[n];
          for (int64_t half = 0; half < 2; ++half) {
            to += number(left, m, 2 * k + half) * number(right, k, 2 * n + half);
          }
        }
      }
    }
  }

 private:
  struct Tile {
    int64_t rows = 0;
    int64_t bytes = 0;  // of a row
    alignas(4) std::array<std::array<unsigned char, 64>, 16> data = {};
  };
  static float number(const Tile& of, int64_t row, int64_t column) {
    Bf16 half = 0;
    std::memcpy(&half, of.data[static_cast<size_t>(row)].data() + 2 * column, 2);
    return std::bit_cast<float>(uint32_t{half} << 16);
  }

  std::array<Tile, 8> tiles_;
};

/// For tile_product.
struct EmulatedTiles {
  static void begin(int64_t rows, int64_t pairs) {
    const TileConfiguration configuration(rows, pairs);
    TileFile::mine().configure(&configuration);
  }
  static void end() { TileFile::mine().release(); }
  template <int kTile>
  static void zero() {
    TileFile::mine().zero(kTile);
  }
  template <int kTile>
  static void load(const Bf16* from, int64_t row_bytes) {
    TileFile::mine().load(kTile, from, row_bytes);
  }
  template <int kTile>
  static void store(float* to, int64_t row_bytes) {
    TileFile::mine().store(kTile, to, row_bytes);
  }
  template <int kSum, int kLeft, int kRight>
  static void add_product() {
    TileFile::mine().add_product(kSum, kLeft, kRight);
  }
};

inline const Unit& emulated_tiles() {
  static constexpr Unit kUnit = {"tiles",
                                 kTileRows,
                                 kTilePairs,
                                 true,
                                 &EmulatedTiles::begin,
                                 &EmulatedTiles::end,
                                 &tile_product<EmulatedTiles>};
  return kUnit;
}

}  // namespace adassl::kernels
