#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Describes this machine, and configures the libraries that we use for it.
namespace adassl::host {

std::string cpu_name();
/// The CPU features that matter to this program, such as "avx2", "avx512f", "amx_tile".
std::vector<std::string> cpu_features();
int64_t logical_cores();             // that this process may use
uint64_t available_memory();         // bytes, cgroup limits included
uint64_t physical_memory();          // bytes; files with more data are refused before allocation
int64_t terminal_columns(int file);  // 0 if the file descriptor is no terminal
std::string version();               // of this program
std::string commit();                // the git commit of this build, "unknown" outside a checkout

/// The kernels OpenBLAS chose ("SkylakeX"), "" where another BLAS is loaded.
std::string blas_kernels();

/// The instruction set that oneDNN must be limited to; "" for no limit. oneDNN uses AMX if the
/// processor announces tiles. If that processor reports no tile palette, oneDNN would crash with an
/// illegal instruction.
std::string onednn_cap(const std::vector<std::string>& features, unsigned tile_palettes);

/// Some libraries read their settings from the environment while they are loaded: the launcher
/// calls this before it starts the program that loads them. OPENBLAS_CORETYPE: Debian's OpenBLAS
/// does not know newer CPUs and falls back to kernels of 2004. GOMP_SPINCOUNT: OpenMP threads that
/// spin while others want the core slow a busy machine down. ONEDNN_MAX_CPU_ISA: see onednn_cap. A
/// user's own values are never overridden.
void choose_kernels();

/// The part of choose_kernels that keeps oneDNN from crashing. oneDNN reads its setting at its
/// first use, so this also helps a process that has loaded LibTorch already.
void cap_onednn();

/// LibTorch parallelises above BLAS: with threads of its own, BLAS would compete with it.
void use_one_blas_thread();

/// For a process that trains: one BLAS thread, and a malloc that keeps large blocks.
void tune_libraries();

}  // namespace adassl::host
