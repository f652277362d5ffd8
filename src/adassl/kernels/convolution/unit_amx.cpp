// c[row][column] = sum over taps and pairs k of a[row][2k] b[k][column][0] + a[row][2k+1]
// b[k][column][1] by the tiles of AMX: 32 rows x 32 columns in four tiles of 16 x 16 sums.

#include "adassl/kernels/convolution/unit.h"

#if defined(__x86_64__)

#include "adassl/kernels/convolution/tile_product.h"

// Written out, since compilers may not know what the instructions read: with g++ 12's intrinsics
// the configuration counts as eight bytes, and the stores to the rest of it are dropped.
#define ADASSL_TILE_ZERO(tile) asm volatile("tilezero %%tmm" #tile ::: "memory")
#define ADASSL_TILE_LOAD(tile, from, row_bytes) \
  asm volatile("tileloadd (%0,%1,1), %%tmm" #tile ::"r"(from), "r"(row_bytes) : "memory")
#define ADASSL_TILE_STORE(tile, to, row_bytes) \
  asm volatile("tilestored %%tmm" #tile ", (%0,%1,1)" ::"r"(to), "r"(row_bytes) : "memory")
#define ADASSL_TILE_ADD_PRODUCT(sum, left, right) \
  asm volatile("tdpbf16ps %%tmm" #right ", %%tmm" #left ", %%tmm" #sum ::: "memory")

namespace adassl::kernels {
namespace {

struct MachineTiles {
  template <int kTile>
  static void zero() {
    static_assert(kTile <= 3);
    if constexpr (kTile == 0) ADASSL_TILE_ZERO(0);
    if constexpr (kTile == 1) ADASSL_TILE_ZERO(1);
    if constexpr (kTile == 2) ADASSL_TILE_ZERO(2);
    if constexpr (kTile == 3) ADASSL_TILE_ZERO(3);
  }
  template <int kTile>
  static void load(const Bf16* from, int64_t row_bytes) {
    static_assert(kTile >= 4 && kTile <= 7);
    if constexpr (kTile == 4) ADASSL_TILE_LOAD(4, from, row_bytes);
    if constexpr (kTile == 5) ADASSL_TILE_LOAD(5, from, row_bytes);
    if constexpr (kTile == 6) ADASSL_TILE_LOAD(6, from, row_bytes);
    if constexpr (kTile == 7) ADASSL_TILE_LOAD(7, from, row_bytes);
  }
  template <int kSum, int kLeft, int kRight>
  static void add_product() {
    static_assert(kSum == 2 * (kLeft - 4) + (kRight - 6));
    if constexpr (kSum == 0) ADASSL_TILE_ADD_PRODUCT(0, 4, 6);
    if constexpr (kSum == 1) ADASSL_TILE_ADD_PRODUCT(1, 4, 7);
    if constexpr (kSum == 2) ADASSL_TILE_ADD_PRODUCT(2, 5, 6);
    if constexpr (kSum == 3) ADASSL_TILE_ADD_PRODUCT(3, 5, 7);
  }
  template <int kTile>
  static void store(float* to, int64_t row_bytes) {
    static_assert(kTile <= 3);
    if constexpr (kTile == 0) ADASSL_TILE_STORE(0, to, row_bytes);
    if constexpr (kTile == 1) ADASSL_TILE_STORE(1, to, row_bytes);
    if constexpr (kTile == 2) ADASSL_TILE_STORE(2, to, row_bytes);
    if constexpr (kTile == 3) ADASSL_TILE_STORE(3, to, row_bytes);
  }
};

void begin(int64_t rows, int64_t pairs) {
  const TileConfiguration tiles(rows, pairs);
  asm volatile("ldtilecfg %0" ::"m"(tiles) : "memory");
}

void end() { asm volatile("tilerelease" ::: "memory"); }

}  // namespace

const Unit& amx_unit() {
  static constexpr Unit kUnit = {
      "amx", kTileRows, kTilePairs, true, &begin, &end, &tile_product<MachineTiles>};
  return kUnit;
}

}  // namespace adassl::kernels

#endif
