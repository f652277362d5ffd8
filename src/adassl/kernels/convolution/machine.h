#pragma once

/// Whether products of bfloat16 may use instructions that not every machine has. Asked once; the
/// answer stays.
namespace adassl::kernels {

bool machine_has_avx512_bf16();

/// AMX: the processor names it, the system saves its tiles and lets this process have them, and one
/// product of a child process came out right. Some virtual machines announce what they refuse: the
/// child may die of it, we may not.
bool machine_has_amx();

}  // namespace adassl::kernels
