#pragma once

#include "adassl/kernels/convolution/unit.h"

/// Whether products of bfloat16 may use instructions that not every machine has. Asked once; the
/// answer stays.
namespace adassl::kernels {

/// The processor names it, the system saves its registers, and one product of a child process came
/// out right. Some virtual machines announce what they refuse: the child may die of it, we may not.
bool machine_has_avx512_bf16();
/// The same of AMX, whose tiles this process must also be granted.
bool machine_has_amx();
/// Why, or why not, in a few words.
const char* amx_state();

/// Whether the unit gets every number of one product right: small integers, whose sums are exact.
bool product_is_right(const Unit& unit);
/// The same in a child process, which may die of it.
bool child_gets_product_right(const Unit& unit);

}  // namespace adassl::kernels
