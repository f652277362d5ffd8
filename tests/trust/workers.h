#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace adassl::trust {

/// What a worker says of one task.
struct Report {
  std::string violation;  // empty if the promise held
  double number = 0;      // of kills, of seconds, ...: what the caller wants to add up or compare
  std::string note;       // what the number belongs to
};

/// Calls task(0), task(1), ... in `jobs` processes of their own, because a fault is a matter of the
/// environment, and only a process has one. Prints progress. No new task is begun once `enough` of
/// the sum of all numbers is true.
std::vector<Report> work_through(
    size_t tasks, size_t jobs, const std::function<Report(size_t)>& task,
    const std::function<bool(double)>& enough = [](double) { return false; });

}  // namespace adassl::trust
