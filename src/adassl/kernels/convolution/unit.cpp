#include "adassl/kernels/convolution/unit.h"

#include <atomic>

#include "adassl/kernels/simd.h"

/// Chooses who computes the product
///   c[row][column] = sum over taps, pairs k and h < 2 of a[row][k][h] b[k][column][h]
/// of up to 32 rows and 32 columns (unit.h): the tiles of AMX, AVX-512 BF16, or portable vectors of
/// float32.
namespace adassl::kernels {
namespace {

std::atomic<const Unit*> wanted = nullptr;

}  // namespace

const Unit& unit() {
  if (const Unit* chosen = wanted) return *chosen;
#if defined(__x86_64__)
  const std::string set = instruction_set();
  if (set == "amx") return amx_unit();
  if (set == "avx512_bf16") return avx512_bf16_unit();
#endif
  return portable_unit();
}

void use_unit(const Unit* unit) { wanted = unit; }

}  // namespace adassl::kernels
