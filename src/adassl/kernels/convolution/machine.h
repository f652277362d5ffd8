#pragma once

#include "adassl/kernels/convolution/unit.h"

/// Whether this machine has working instructions for
///   c[row][column] += a[row][2 k] b[2 k][column] + a[row][2 k + 1] b[2 k + 1][column]
/// with a and b in bfloat16 and c in float32: VDPBF16PS of AVX-512 BF16, or TDPBF16PS of AMX, which
/// does so for whole tiles. The answers are found once, on the first call, and do not change.
namespace adassl::kernels {

/// Whether AVX-512 BF16 works: the processor announces it, the operating system saves its
/// registers, and a child process has computed one product with it correctly. Some virtual machines
/// announce instructions that they then refuse; in that case it is the child that dies.
bool machine_has_avx512_bf16();
/// The same for AMX. In addition, the kernel must grant this process the use of tiles.
bool machine_has_amx();
/// "works", or in a few words why AMX cannot be used.
const char* amx_state();

/// Whether the unit computes every number of one product correctly. The operands are small
/// integers, so that the sums are exact.
bool product_is_right(const Unit& unit);
/// The same, computed in a child process.
bool child_gets_product_right(const Unit& unit);

}  // namespace adassl::kernels
