#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What this machine is, and how to make the libraries below us use it well.
namespace adassl::host {

std::string cpu_name();
/// "avx2", "avx512f", "amx_tile", ... as far as they matter here.
std::vector<std::string> cpu_features();
int64_t logical_cores();  // that this process may use
uint64_t available_memory();  // bytes, cgroup limits included
std::string commit();         // that this program was built from, "unknown" outside a checkout

/// The kernels OpenBLAS chose ("SkylakeX"), "" where another BLAS is loaded.
std::string blas_kernels();

/// Call first thing in main. Debian's OpenBLAS does not know newer CPUs and then falls back to
/// kernels of 2004; it reads its choice from the environment when it is loaded, so the program sets
/// it and executes itself once more. A user's own OPENBLAS_CORETYPE is never overridden. Also caps
/// oneDNN where its own detection of AMX would end in an illegal instruction.
void choose_kernels(char** argv);

/// One BLAS thread (LibTorch parallelises above it) and a malloc that keeps large blocks.
void tune_libraries();

}  // namespace adassl::host
