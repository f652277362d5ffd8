#include "adassl/kernels/convolution/machine.h"

#include <cstring>

#include "adassl/core/error.h"

/// Finds out whether AVX-512 BF16 and AMX work on this machine: what the processor announces, what
/// the system grants, and one product of small integers in a child process.
namespace adassl::kernels {

bool product_is_right(const Unit& unit) {
  constexpr int64_t kPairs = 16;
  alignas(64) Bf16 a[kMostRows][2 * kPairs];
  alignas(64) Bf16 b[kPairs][kColumns][2];
  alignas(64) float c[kMostRows][kColumns];
  const int64_t rows = 2 * unit.rows;
  constexpr Bf16 kSmall[] = {0x0000, 0x3F80, 0x4000, 0x4040, 0xBF80};  // 0, 1, 2, 3, -1
  constexpr int kValues[] = {0, 1, 2, 3, -1};
  const auto left = [](int64_t row, int64_t k) { return (3 * row + 7 * k) % 5; };
  const auto right = [](int64_t k, int64_t column) { return (2 * k + column + k / 3) % 5; };
  for (int64_t k = 0; k < 2 * kPairs; ++k) {
    for (int64_t row = 0; row < rows; ++row) a[row][k] = kSmall[left(row, k)];
    for (int64_t n = 0; n < kColumns; ++n) b[k / 2][n][k % 2] = kSmall[right(k, n)];
  }
  const Tap tap;
  unit.begin(unit.rows, kPairs);
  unit.product({unit.rows, 2 * kPairs, 2, kPairs, {&tap, 1}}, a[0], a[unit.rows], b[0][0], c[0]);
  unit.end();
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t n = 0; n < kColumns; ++n) {
      int sum = 0;
      for (int64_t k = 0; k < 2 * kPairs; ++k) sum += kValues[left(row, k)] * kValues[right(k, n)];
      if (c[row][n] != static_cast<float>(sum)) return false;
    }
  }
  return true;
}

bool machine_has_amx() { return std::strcmp(amx_state(), "works") == 0; }

}  // namespace adassl::kernels

#if defined(__x86_64__)

#include <cerrno>

#include <cpuid.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace adassl::kernels {
namespace {

/// The states that the system saves when threads change.
uint64_t saved_states() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kOsxsave = 1U << 27;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & kOsxsave) == 0) return 0;
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

bool saves(uint64_t states) { return (saved_states() & states) == states; }

constexpr uint64_t kVectorStates = 0xE6;  // SSE, AVX, and the three of AVX-512
constexpr uint64_t kTileStates = 0x60000;

bool names_avx512_bf16() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kF = 1U << 16, kBw = 1U << 30, kVl = 1U << 31, kBf16 = 1U << 5;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  if ((ebx & kF) == 0 || (ebx & kBw) == 0 || (ebx & kVl) == 0) return false;
  return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & kBf16) != 0;
}

bool names_amx() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kBf16 = 1U << 22, kTile = 1U << 24;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  return (edx & kBf16) != 0 && (edx & kTile) != 0;
}

/// For the whole process, its later threads included.
bool tiles_are_permitted() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

/// Whoever started us may have us ignore the ends of children, and then none can be waited for.
class ChildrenAreAwaited {
 public:
  ChildrenAreAwaited() {
    struct sigaction by_default = {};
    by_default.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &by_default, &before_);
  }
  ~ChildrenAreAwaited() { sigaction(SIGCHLD, &before_, nullptr); }
  ChildrenAreAwaited(const ChildrenAreAwaited&) = delete;
  ChildrenAreAwaited& operator=(const ChildrenAreAwaited&) = delete;

 private:
  struct sigaction before_ = {};
};

const char* find_amx_state() {
  if (!machine_has_avx512_bf16() || !names_amx()) return "absent";
  if (!saves(kTileStates)) return "not saved by the system";
  if (!tiles_are_permitted()) return "not permitted to this process";
  return child_gets_product_right(amx_unit()) ? "works"
                                              : "announced, but a trial in a child process failed";
}

}  // namespace

bool child_gets_product_right(const Unit& unit) {
  const ChildrenAreAwaited awaited;
  const pid_t child = fork();
  if (child < 0) {
    const int code = errno;
    throw SystemError(
        join("[bf16] instructions are first tried in a child process, and there is none (",
             std::strerror(code), "); ADASSL_SIMD=avx512 does without"),
        code);
  }
  if (child == 0) {
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    for (const int fault : {SIGILL, SIGSEGV, SIGBUS, SIGFPE}) signal(fault, SIG_DFL);
    _exit(product_is_right(unit) ? 0 : 1);
  }
  int status = 0;
  while (waitpid(child, &status, 0) != child) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool machine_has_avx512_bf16() {
  static const bool has =
      names_avx512_bf16() && saves(kVectorStates) && child_gets_product_right(avx512_bf16_unit());
  return has;
}

const char* amx_state() {
  static const char* const state = find_amx_state();
  return state;
}

}  // namespace adassl::kernels

#else

namespace adassl::kernels {

bool machine_has_avx512_bf16() { return false; }
const char* amx_state() { return "absent"; }
bool child_gets_product_right(const Unit& unit) { return product_is_right(unit); }

}  // namespace adassl::kernels

#endif
