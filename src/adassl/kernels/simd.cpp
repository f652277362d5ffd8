#include "adassl/kernels/simd.h"

#include <cstdlib>

#include <hwy/highway.h>

#include "adassl/core/error.h"
#include "adassl/core/text.h"

namespace adassl::kernels {
namespace {

struct InstructionSet {
  const char* name;
  int64_t targets;  // that Highway may choose from
};

// Elsewhere than on x86 Highway's own choice stands.
constexpr InstructionSet kSets[] = {
    {"baseline", HWY_STATIC_TARGET},
#if HWY_ARCH_X86
    {"avx2", HWY_AVX2},
    {"avx512", HWY_AVX3},
#endif
};

/// All that this machine has, whatever kernels are limited to.
int64_t of_this_machine() {
  static const int64_t targets = hwy::SupportedTargets() | HWY_STATIC_TARGET;
  return targets;
}

/// The best of them.
std::string best_of(int64_t targets) {
  std::string best = kSets[0].name;
  for (const InstructionSet& set : kSets) {
    if ((targets & set.targets) != 0) best = set.name;
  }
  return best;
}

}  // namespace

std::vector<std::string> instruction_sets() {
  choose_instruction_set();
  std::vector<std::string> out;
  for (const InstructionSet& set : kSets) {
    if ((of_this_machine() & set.targets) != 0) out.emplace_back(set.name);
  }
  return out;
}

std::string instruction_set() {
  choose_instruction_set();
  return best_of(hwy::SupportedTargets());
}

void use_instruction_set(const std::string& name) {
  const int64_t supported = of_this_machine();
  int64_t allowed = 0;
  for (const InstructionSet& set : kSets) {
    allowed |= set.targets;
    if (name != set.name) continue;
    ADASSL_CHECK((supported & set.targets) != 0, "[ADASSL_SIMD] this machine has no ", name);
    hwy::SetSupportedTargetsForTest(supported & allowed);
    hwy::GetChosenTarget().Update(supported & allowed);
    return;
  }
  throw Error(join("[ADASSL_SIMD] expected baseline, avx2 or avx512, got '", name, "'"));
}

void choose_instruction_set() {
  static const bool chosen = [] {
    if (const char* name = std::getenv("ADASSL_SIMD")) use_instruction_set(name);
    return true;
  }();
  (void)chosen;
}

}  // namespace adassl::kernels
