#pragma once

#include <functional>
#include <optional>
#include <string>

namespace adassl::bench {

/// The number that a child process computed, or the reason why there is none.
struct FromChild {
  std::optional<double> number;
  std::string failure;
};

/// Calls `compute` in a child process, which may crash or run for longer than `seconds` without
/// harm to this process. Call it before this process starts threads: the child has none of them,
/// and would wait for them forever.
FromChild in_child(const std::function<double()>& compute, int seconds);

}  // namespace adassl::bench
