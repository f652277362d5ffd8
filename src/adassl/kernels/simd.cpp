#include "adassl/kernels/simd.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>

#include <hwy/highway.h>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/kernels/convolution/machine.h"

namespace adassl::kernels {
namespace {

struct InstructionSet {
  const char* name;
  int64_t targets;  // of Highway that belong to it
  bool (*also)();   // whether the machine meets all further requirements
};

bool nothing() { return true; }

// On architectures other than x86, Highway chooses by itself.
constexpr InstructionSet kSets[] = {
    {"baseline", HWY_ARCH_X86 ? HWY_STATIC_TARGET : ~int64_t{0}, &nothing},
#if HWY_ARCH_X86
    {"avx2", HWY_AVX2, &nothing},
    {"avx512", HWY_AVX3, &nothing},
    {"avx512_bf16", HWY_AVX3, &machine_has_avx512_bf16},
    {"amx", HWY_AVX3, &machine_has_amx},
#endif
};

/// All targets that this machine supports, regardless of what kernels are limited to.
int64_t of_this_machine() {
  static const int64_t targets = hwy::SupportedTargets() | HWY_STATIC_TARGET;
  return targets;
}

bool is_here(const InstructionSet& set) {
  return (of_this_machine() & set.targets) != 0 && set.also();
}

const InstructionSet& best_here() {
  static const InstructionSet& best = *std::find_if(
      std::rbegin(kSets), std::rend(kSets), [](const InstructionSet& set) { return is_here(set); });
  return best;
}

std::atomic<const InstructionSet*> in_use = nullptr;  // null until one has been chosen

void limit_to(const std::string& name) {
  const int64_t supported = of_this_machine();
  int64_t allowed = 0;
  for (const InstructionSet& set : kSets) {
    allowed |= set.targets;
    if (name != set.name) continue;
    ADASSL_CHECK(is_here(set), "[ADASSL_SIMD] this machine has no ", name);
    hwy::SetSupportedTargetsForTest(supported & allowed);
    hwy::GetChosenTarget().Update(supported & allowed);
    in_use = &set;
    return;
  }
  std::vector<std::string> names;
  for (const InstructionSet& set : kSets) names.emplace_back(set.name);
  throw Error(join("[ADASSL_SIMD] expected one of ", text::list(names), ", got '", name, "'"));
}

}  // namespace

std::vector<std::string> instruction_sets() {
  choose_instruction_set();
  std::vector<std::string> out;
  for (const InstructionSet& set : kSets) {
    if (is_here(set)) out.emplace_back(set.name);
  }
  return out;
}

std::string instruction_set() {
  choose_instruction_set();
  return in_use.load()->name;
}

void use_instruction_set(const std::string& name) {
  choose_instruction_set();  // otherwise the initial choice would later replace this one
  limit_to(name);
}

void choose_instruction_set() {
  static const bool chosen = [] {
    const char* name = std::getenv("ADASSL_SIMD");
    // Limits kernels to the best known set as well: a newer Highway may support sets not listed
    // here.
    limit_to(name != nullptr ? name : best_here().name);
    return true;
  }();
  (void)chosen;
}

}  // namespace adassl::kernels
