#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

/// What the preloaded library and the harness have in common: the kinds of operations, and a file
/// of counters that all processes of a case map into their memory.
namespace adassl::trust {

/// Opening for reading is `open`, opening for writing is `create`.
enum class Kind {
  kWrite,
  kSync,
  kRename,
  kOpen,
  kCreate,
  kMkdir,
  kMmap,
  kFork,
  kTruncate,
  kUnlink,
  kRead
};
constexpr size_t kKinds = 11;
constexpr std::array<const char*, kKinds> kKindNames = {"write",    "sync",   "rename", "open",
                                                        "create",   "mkdir",  "mmap",   "fork",
                                                        "truncate", "unlink", "read"};

struct Counters {
  std::array<std::atomic<uint64_t>, kKinds> of_kind;
  std::atomic<uint64_t> selected;  // operations of the kinds that ADASSL_FAULT_KIND names
  std::atomic<uint64_t> fired;     // faults that were injected
  std::array<char, 512> where;     // the path of the first one
};

}  // namespace adassl::trust
