#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace adassl::storage {

/// What a process is doing with a run right now: RUN/status.json, replaced every few seconds and
/// removed at the end. What a study shows of its runs comes from it.
struct RunStatus {
  int64_t step = 0;   // steps done
  int64_t steps = 0;  // of so many
  std::string line;   // for people, at most some hundred characters

  double fraction() const {
    return steps > 0 ? static_cast<double>(step) / static_cast<double>(steps) : 0;
  }
  bool operator==(const RunStatus&) const = default;
};

/// Replaces the file at once, without waiting for the disk. A status that cannot be written is no
/// failure of the run.
void write_status(const std::filesystem::path& path, const RunStatus& status);

/// Nothing where there is no whole status yet.
std::optional<RunStatus> read_status(const std::filesystem::path& path);

}  // namespace adassl::storage
