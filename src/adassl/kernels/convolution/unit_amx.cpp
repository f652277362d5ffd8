#include "adassl/kernels/convolution/unit.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "adassl/kernels/convolution/tile_product.h"

#define ADASSL_AMX __attribute__((target("amx-tile,amx-bf16")))

namespace adassl::kernels {
namespace {

/// What LDTILECFG reads.
struct alignas(64) TileConfiguration {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfiguration) == 64);

/// The intrinsics want the numbers of tiles as literals.
struct MachineTiles {
  template <int kTile>
  ADASSL_AMX static void zero() {
    static_assert(kTile <= 3);
    if constexpr (kTile == 0) _tile_zero(0);
    if constexpr (kTile == 1) _tile_zero(1);
    if constexpr (kTile == 2) _tile_zero(2);
    if constexpr (kTile == 3) _tile_zero(3);
  }
  template <int kTile>
  ADASSL_AMX static void load(const Bf16* from, int64_t row_bytes) {
    static_assert(kTile >= 4 && kTile <= 7);
    if constexpr (kTile == 4) _tile_loadd(4, from, row_bytes);
    if constexpr (kTile == 5) _tile_loadd(5, from, row_bytes);
    if constexpr (kTile == 6) _tile_loadd(6, from, row_bytes);
    if constexpr (kTile == 7) _tile_loadd(7, from, row_bytes);
  }
  template <int kSum, int kLeft, int kRight>
  ADASSL_AMX static void add_product() {
    static_assert(kSum == 2 * (kLeft - 4) + (kRight - 6));
    if constexpr (kSum == 0) _tile_dpbf16ps(0, 4, 6);
    if constexpr (kSum == 1) _tile_dpbf16ps(1, 4, 7);
    if constexpr (kSum == 2) _tile_dpbf16ps(2, 5, 6);
    if constexpr (kSum == 3) _tile_dpbf16ps(3, 5, 7);
  }
  template <int kTile>
  ADASSL_AMX static void store(float* to, int64_t row_bytes) {
    static_assert(kTile <= 3);
    if constexpr (kTile == 0) _tile_stored(0, to, row_bytes);
    if constexpr (kTile == 1) _tile_stored(1, to, row_bytes);
    if constexpr (kTile == 2) _tile_stored(2, to, row_bytes);
    if constexpr (kTile == 3) _tile_stored(3, to, row_bytes);
  }
};

ADASSL_AMX void begin(int64_t rows, int64_t pairs) {
  const TileShapes shapes = tile_shapes(rows, pairs);
  TileConfiguration tiles;
  for (int tile = 0; tile < 8; ++tile) {
    const bool left = tile == 4 || tile == 5;
    tiles.rows[tile] = static_cast<uint8_t>(tile < 6 ? shapes.rows : shapes.pairs);
    tiles.row_bytes[tile] = static_cast<uint16_t>(left ? 4 * shapes.pairs : 64);
  }
  _tile_loadconfig(&tiles);
}

ADASSL_AMX void end() { _tile_release(); }

}  // namespace

const Unit& amx_unit() {
  static constexpr Unit kUnit = {
      "amx", kTileRows, kTilePairs, true, &begin, &end, &tile_product<MachineTiles>};
  return kUnit;
}

}  // namespace adassl::kernels

#endif
