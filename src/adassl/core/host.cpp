#include "adassl/core/host.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include <cpuid.h>
#include <dlfcn.h>
#include <malloc.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "adassl/core/text.h"
#include "commit.h"

namespace adassl::host {
namespace {

/// The value after `key :` in a file such as /proc/cpuinfo.
std::string value_in(const char* path, const std::string& key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(':');
    if (colon != std::string::npos && text::trim(line.substr(0, colon)) == key) {
      return text::trim(line.substr(colon + 1));
    }
  }
  return "";
}

uint64_t number_in(const char* path, uint64_t otherwise) {
  std::ifstream in(path);
  uint64_t value = 0;
  return in >> value ? value : otherwise;
}

template <class Function>
Function symbol(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

bool has(const std::vector<std::string>& features, const char* name) {
  return std::find(features.begin(), features.end(), name) != features.end();
}

/// The largest AMX tile palette of the processor (CPUID leaf 1DH); 0 if it reports none.
unsigned tile_palettes() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(0x1D, 0, &eax, &ebx, &ecx, &edx) == 0 ? 0 : eax;
}

}  // namespace

std::string cpu_name() {
  const std::string name = value_in("/proc/cpuinfo", "model name");
  return name.empty() ? "unknown" : name;
}

std::vector<std::string> cpu_features() {
  constexpr const char* kOfInterest[] = {"sse4_2",      "avx2",        "fma",      "avx512f",
                                         "avx512bw",    "avx512_bf16", "amx_tile", "amx_bf16",
                                         "avx512_vnni", "avx512_fp16"};
  std::istringstream flags(value_in("/proc/cpuinfo", "flags"));
  std::vector<std::string> present;
  for (std::string flag; flags >> flag;) present.push_back(flag);
  std::vector<std::string> out;
  for (const char* feature : kOfInterest) {
    if (has(present, feature)) out.emplace_back(feature);
  }
  return out;
}

int64_t logical_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

int64_t terminal_columns(int file) {
  winsize size{};
  return ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

uint64_t available_memory() {
  constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();
  std::istringstream line(value_in("/proc/meminfo", "MemAvailable"));
  uint64_t kibibytes = 0;
  const uint64_t machine = line >> kibibytes ? kibibytes * 1024 : kUnlimited;
  const uint64_t limit = number_in("/sys/fs/cgroup/memory.max", kUnlimited);
  if (limit == kUnlimited) return machine;
  const uint64_t used = number_in("/sys/fs/cgroup/memory.current", 0);
  return std::min(machine, limit > used ? limit - used : 0);
}

uint64_t physical_memory() {
  const auto pages = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES));
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::string version() { return ADASSL_VERSION; }

std::string commit() { return kCommit; }

std::string blas_kernels() {
  const auto core_name = symbol<char* (*)()>("openblas_get_corename");
  return core_name == nullptr ? "" : core_name();
}

std::string onednn_cap(const std::vector<std::string>& features, unsigned palettes) {
  return has(features, "amx_tile") && palettes == 0 ? "AVX512_CORE_BF16" : "";
}

void cap_onednn() {
  const std::string cap = onednn_cap(cpu_features(), tile_palettes());
  if (!cap.empty()) setenv("ONEDNN_MAX_CPU_ISA", cap.c_str(), 0);
}

void choose_kernels() {
  cap_onednn();
  const std::vector<std::string> features = cpu_features();
  // Load OpenBLAS to see which kernels it would choose by itself; alone, it loads in milliseconds.
  dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_GLOBAL);
  const std::string chosen = blas_kernels();
  if (chosen == "Prescott" || chosen == "Core2" || chosen == "Generic") {
    if (has(features, "avx512f") && has(features, "avx512bw")) {
      setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
    } else if (has(features, "avx2")) {
      setenv("OPENBLAS_CORETYPE", "Haswell", 0);
    }
  }
  if (getenv("OMP_WAIT_POLICY") == nullptr) setenv("GOMP_SPINCOUNT", "2000", 0);
}

void use_one_blas_thread() {
  if (const auto set_threads = symbol<void (*)(int)>("openblas_set_num_threads")) set_threads(1);
}

void tune_libraries() {
  use_one_blas_thread();
  // The next step needs the memory of this step's tensors again. Therefore malloc does not map
  // large blocks separately and returns nothing to the system: otherwise page faults would take a
  // sixth of a step on video.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
}

}  // namespace adassl::host
