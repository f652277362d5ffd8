#pragma once

#include <array>
#include <bit>
#include <cstring>

#include <gtest/gtest.h>

#include "adassl/kernels/convolution/tile_product.h"

/// AMX in plain loops, as the manual of its instructions tells it, so that what is built on tiles
/// is tested where there are none.
namespace adassl::kernels {

struct EmulatedTiles {
  struct Tile {
    int64_t rows = 0;
    int64_t bytes = 0;  // of a row
    std::array<std::array<unsigned char, 64>, 16> data = {};
  };
  static Tile& tile(int which) {
    static thread_local std::array<Tile, 8> tiles;
    return tiles[static_cast<size_t>(which)];
  }

  /// LDTILECFG: the bytes themselves are read.
  static void begin(int64_t rows, int64_t pairs) {
    const TileConfiguration configuration(rows, pairs);
    std::array<unsigned char, 64> bytes;
    std::memcpy(bytes.data(), &configuration, bytes.size());
    ASSERT_EQ(bytes[0], 1) << "the palette";
    for (size_t i = 1; i < 16; ++i) ASSERT_EQ(bytes[i], 0) << i;
    for (size_t t = 0; t < 8; ++t) {
      const int of_row = bytes[16 + 2 * t] + 256 * bytes[17 + 2 * t];
      const int of_tile = bytes[48 + t];
      ASSERT_TRUE(of_row >= 1 && of_row <= 64 && of_tile >= 1 && of_tile <= 16)
          << "the machine would raise #GP";
      tile(static_cast<int>(t)) = {of_tile, of_row, {}};
    }
    for (size_t i = 8; i < 16; ++i) ASSERT_EQ(bytes[16 + 2 * i] + bytes[48 + i], 0) << i;
  }
  static void end() {
    for (int t = 0; t < 8; ++t) tile(t) = Tile{};
  }

  template <int kTile>
  static void zero() {
    tile(kTile).data = {};
  }
  template <int kTile>
  static void load(const Bf16* from, int64_t row_bytes) {
    Tile& to = tile(kTile);
    const auto* bytes = reinterpret_cast<const unsigned char*>(from);
    for (int64_t row = 0; row < to.rows; ++row) {
      std::memcpy(to.data[static_cast<size_t>(row)].data(), bytes + row * row_bytes,
                  static_cast<size_t>(to.bytes));
    }
  }
  template <int kTile>
  static void store(float* to, int64_t row_bytes) {
    const Tile& from = tile(kTile);
    auto* bytes = reinterpret_cast<unsigned char*>(to);
    for (int64_t row = 0; row < from.rows; ++row) {
      std::memcpy(bytes + row * row_bytes, from.data[static_cast<size_t>(row)].data(),
                  static_cast<size_t>(from.bytes));
    }
  }
  template <int kSum, int kLeft, int kRight>
  static void add_product() {
    Tile& sum = tile(kSum);
    const Tile& left = tile(kLeft);
    const Tile& right = tile(kRight);
    ASSERT_EQ(sum.rows, left.rows) << "the machine would raise #UD";
    ASSERT_EQ(sum.bytes, right.bytes);
    ASSERT_EQ(left.bytes, 4 * right.rows);
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
  static float number(const Tile& of, int64_t row, int64_t column) {
    Bf16 half = 0;
    std::memcpy(&half, of.data[static_cast<size_t>(row)].data() + 2 * column, 2);
    return std::bit_cast<float>(uint32_t{half} << 16);
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
