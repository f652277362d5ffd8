#pragma once

#include <algorithm>
#include <cstdint>

#include "adassl/kernels/convolution/unit.h"

/// The product by tiles of 16 rows of 64 bytes. What a tile does is the argument's business: the
/// machine's own instructions, or, in the tests of machines that have none, a few loops.
namespace adassl::kernels {

constexpr int64_t kTileRows = 16;
constexpr int64_t kTilePairs = 16;  // that one step multiplies

/// The shapes of the eight tiles: four sums, two left operands, two right ones.
struct TileShapes {
  int64_t rows = 0;   // of sums and left operands
  int64_t pairs = 0;  // of a step: left operands have so many columns, right ones so many rows
};
constexpr TileShapes tile_shapes(int64_t rows, int64_t pairs) {
  return {rows, std::min(pairs, kTilePairs)};
}

/// Tiles::zero<t>(), load<t>(address, bytes from row to row), add_product<sum, left, right>(),
/// store<t>(address, bytes from row to row).
template <class Tiles>
void tile_product(const Product& shape, const Bf16* a0, const Bf16* a1, const Bf16* b, float* c) {
  const int64_t step = tile_shapes(shape.rows, shape.pairs).pairs;
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
