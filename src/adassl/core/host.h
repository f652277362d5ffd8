#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What this machine is, and how to make the libraries below us use it well.
namespace adassl::host {

std::string cpu_name();
/// "avx2", "avx512f", "amx_tile", ... as far as they matter here.
std::vector<std::string> cpu_features();
int64_t logical_cores();             // that this process may use
uint64_t available_memory();         // bytes, cgroup limits included
uint64_t physical_memory();          // bytes: what claims to be larger is refused, not tried
int64_t terminal_columns(int file);  // 0 where the file is no terminal
std::string version();               // of this program
std::string commit();  // that this program was built from, "unknown" outside a checkout

/// The kernels OpenBLAS chose ("SkylakeX"), "" where another BLAS is loaded.
std::string blas_kernels();

/// What oneDNN must be limited to, "" for nothing. It trusts a processor that announces tiles;
/// where that processor describes no way to divide them, it would end in an illegal instruction.
std::string onednn_cap(const std::vector<std::string>& features, unsigned tile_palettes);

/// Some libraries read their settings from the environment while they are loaded: the launcher
/// calls this before it starts the program that loads them. OPENBLAS_CORETYPE: Debian's OpenBLAS
/// does not know newer CPUs and falls back to kernels of 2004. GOMP_SPINCOUNT: OpenMP threads that
/// spin while others want the core slow a busy machine down. ONEDNN_MAX_CPU_ISA: see onednn_cap. A
/// user's own values are never overridden.
void choose_kernels();

/// One BLAS thread (LibTorch parallelises above it) and a malloc that keeps large blocks.
void tune_libraries();

}  // namespace adassl::host
