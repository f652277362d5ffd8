#pragma once

#include <cstdint>
#include <span>

/// The one product that convolutions are made of, forward and backward, and who computes it.
///
/// Operands are bfloat16, sums float32. The right operand lies in pairs, b[k][column][2], so that
/// one instruction multiplies two numbers and adds both: so do AVX-512's VDPBF16PS and the tiles of
/// AMX, whose layouts these are. What has neither computes the same from the same memory in
/// float32.
namespace adassl::kernels {

using Bf16 = uint16_t;  // the upper half of a float32

constexpr int64_t kColumns = 32;   // of a product
constexpr int64_t kMostRows = 32;  // of a product, both groups together

/// Where a tap's operands begin, from those of the product.
struct Tap {
  int64_t a = 0;
  int64_t b = 0;
};

/// c[row][column] = sum over taps, k < pairs and h < 2 of a[row][k][h] b[k][column][h], where a's
/// rows come in two groups that begin anywhere. Distances are in numbers.
struct Product {
  int64_t rows = 0;    // of each group
  int64_t a_row = 0;   // from row to row
  int64_t a_pair = 2;  // from pair to pair
  int64_t pairs = 0;   // of a tap
  std::span<const Tap> taps;
};

struct Unit {
  const char* name;
  int64_t rows;       // that a group has at most
  int64_t pairs;      // a tap with more pairs than these has a multiple of them
  bool pairs_adjoin;  // whether a_pair must be 2
  /// Around products of one shape, on the thread that computes them.
  void (*begin)(int64_t rows, int64_t pairs);
  void (*end)();
  void (*product)(const Product& shape, const Bf16* a0, const Bf16* a1, const Bf16* b, float* c);
};

/// The best one of this machine, or of what ADASSL_SIMD limits it to.
const Unit& unit();
/// From now on this one; null: the best one again. For tests.
void use_unit(const Unit* unit);

const Unit& portable_unit();
#if defined(__x86_64__)
const Unit& avx512_bf16_unit();  // only where the machine has it
const Unit& amx_unit();          // only where the machine has it and the kernel permits it
#endif

/// So many pairs hold `count` numbers in a way that the unit reads.
constexpr int64_t pairs_for(const Unit& unit, int64_t count) {
  const int64_t pairs = (count + 1) / 2;
  return pairs <= unit.pairs ? pairs : (pairs + unit.pairs - 1) / unit.pairs * unit.pairs;
}

}  // namespace adassl::kernels
