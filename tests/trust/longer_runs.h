#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "trust/process.h"

namespace adassl::trust {

/// A run of about two seconds, with the one that nobody disturbed.
struct LongerRun {
  std::string name;
  std::function<Command(const std::filesystem::path& run)> command;
  std::filesystem::path reference;
  double seconds = 0;  // that the reference took
};

/// Four methods on numerical data and one on video, each trained once.
std::vector<LongerRun> make_longer_runs(const std::filesystem::path& folder);

/// Makes the reference and notes how long it took.
void make_reference(LongerRun& run, const std::filesystem::path& folder);

}  // namespace adassl::trust
