#pragma once

#include <algorithm>
#include <cstdint>

#include "adassl/kernels/convolution/unit.h"

/// The product of unit.h by tiles, of 16 rows of 64 bytes each. A tile holds 16 x 16 sums in
/// float32, 16 rows of a with 16 pairs, or 16 pairs of b with 16 columns:
///
///                          b: tile 6 [16 pairs][16][2]   tile 7 [16 pairs][16][2]
///   a0: tile 4 [16][16][2]    c: tile 0 [16][16]            tile 1 [16][16]
///   a1: tile 5 [16][16][2]    c: tile 2 [16][16]            tile 3 [16][16]
///
/// A step adds to all four tiles of sums: sum[m][n] += sum over 16 pairs k and h < 2 of
/// a[m][k][h] b[k][n][h]. The template argument says what a tile does: the machine's own
/// instructions, or, in the tests of machines that have none, a few loops.
namespace adassl::kernels {

constexpr int64_t kTileRows = 16;
constexpr int64_t kTilePairs = 16;  // that one step multiplies

/// Pairs of one step of a product.
constexpr int64_t tile_step(int64_t pairs) { return std::min(pairs, kTilePairs); }

/// What LDTILECFG reads: the shapes of four tiles of sums, two of left operands, two of right ones.
struct alignas(64) TileConfiguration {
  TileConfiguration(int64_t of_rows, int64_t of_pairs) {
    const int64_t step = tile_step(of_pairs);
    for (int tile = 0; tile < 8; ++tile) {
      const bool left = tile == 4 || tile == 5;
      rows[tile] = static_cast<uint8_t>(tile < 6 ? of_rows : step);
      row_bytes[tile] = static_cast<uint16_t>(left ? 4 * step : 64);
    }
  }
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfiguration) == 64);

/// Tiles::zero<t>(), load<t>(address, bytes from row to row), add_product<sum, left, right>(),
/// store<t>(address, bytes from row to row).
template <class Tiles>
void tile_product(const Product& shape, const Bf16* a0, const Bf16* a1, const Bf16* b, float* c) {
  const int64_t step = tile_step(shape.pairs);
  const int64_t a_bytes = shape.a_row * static_cast<int64_t>(sizeof(Bf16));
  constexpr int64_t kBBytes = 2 * kColumns * sizeof(Bf16);
  constexpr int64_t kCBytes = kColumns * sizeof(float);
  Tiles::template zero<0>();
  Tiles::template zero<1>();
  Tiles::template zero<2>();
  Tiles::template zero<3>();
  for (const Tap& tap : shape.taps) {
    const Bf16* right = b + tap.b;
    for (int64_t k = 0; k < shape.pairs; k += step, right += 2 * kColumns * step) {
      Tiles::template load<4>(a0 + tap.a + 2 * k, a_bytes);
      Tiles::template load<6>(right, kBBytes);
      Tiles::template load<7>(right + kColumns, kBBytes);
      Tiles::template add_product<0, 4, 6>();
      Tiles::template add_product<1, 4, 7>();
      Tiles::template load<5>(a1 + tap.a + 2 * k, a_bytes);
      Tiles::template add_product<2, 5, 6>();
      Tiles::template add_product<3, 5, 7>();
    }
  }
  float* second = c + shape.rows * kColumns;
  Tiles::template store<0>(c, kCBytes);
  Tiles::template store<1>(c + kColumns / 2, kCBytes);
  Tiles::template store<2>(second, kCBytes);
  Tiles::template store<3>(second + kColumns / 2, kCBytes);
}

}  // namespace adassl::kernels
