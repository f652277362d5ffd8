#include "adassl/kernels/convolution/machine.h"

#include "adassl/kernels/convolution/unit.h"

#if defined(__x86_64__)

#include <cpuid.h>
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

/// Small integers, whose sums are exact: every place of the result must be right.
bool product_is_right() {
  constexpr int64_t kRows = 16;
  constexpr int64_t kPairs = 16;
  alignas(64) static Bf16 a[2 * kRows][2 * kPairs];
  alignas(64) static Bf16 b[kPairs][kColumns][2];
  alignas(64) static float c[2 * kRows][kColumns];
  constexpr Bf16 kSmall[] = {0x0000, 0x3F80, 0x4000, 0x4040, 0xBF80};  // 0, 1, 2, 3, -1
  constexpr int kValues[] = {0, 1, 2, 3, -1};
  const auto left = [](int64_t row, int64_t k) { return (3 * row + 7 * k) % 5; };
  const auto right = [](int64_t k, int64_t column) { return (2 * k + column + k / 3) % 5; };
  for (int64_t k = 0; k < 2 * kPairs; ++k) {
    for (int64_t row = 0; row < 2 * kRows; ++row) a[row][k] = kSmall[left(row, k)];
    for (int64_t n = 0; n < kColumns; ++n) b[k / 2][n][k % 2] = kSmall[right(k, n)];
  }
  const Tap tap;
  const Unit& unit = amx_unit();
  unit.begin(kRows, kPairs);
  unit.product({kRows, 2 * kPairs, 2, kPairs, {&tap, 1}}, a[0], a[kRows], b[0][0], c[0]);
  unit.end();
  for (int64_t row = 0; row < 2 * kRows; ++row) {
    for (int64_t n = 0; n < kColumns; ++n) {
      int sum = 0;
      for (int64_t k = 0; k < 2 * kPairs; ++k) sum += kValues[left(row, k)] * kValues[right(k, n)];
      if (c[row][n] != static_cast<float>(sum)) return false;
    }
  }
  return true;
}

bool child_succeeds(bool (*trial)()) {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) _exit(trial() ? 0 : 1);
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool machine_has_avx512_bf16() {
  static const bool has = names_avx512_bf16() && saves(kVectorStates);
  return has;
}

bool machine_has_amx() {
  static const bool has = machine_has_avx512_bf16() && names_amx() && saves(kTileStates) &&
                          tiles_are_permitted() && child_succeeds(&product_is_right);
  return has;
}

}  // namespace adassl::kernels

#else

namespace adassl::kernels {

bool machine_has_avx512_bf16() { return false; }
bool machine_has_amx() { return false; }

}  // namespace adassl::kernels

#endif
