#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace adassl::storage {

/// The current progress of a run, from RUN/status.json. The training process replaces the file
/// every few seconds and removes it at the end. A study reads it to show the progress of its runs.
struct RunStatus {
  int64_t step = 0;   // steps done
  int64_t steps = 0;  // steps in total
  std::string line;   // the progress line for people, at most a few hundred characters

  double fraction() const {
    return steps > 0 ? static_cast<double>(step) / static_cast<double>(steps) : 0;
  }
  bool operator==(const RunStatus&) const = default;
};

/// Replaces the file atomically, without waiting for the disk. A failure is ignored.
void write_status(const std::filesystem::path& path, const RunStatus& status);

/// Returns nullopt if the file cannot be read or does not hold a JSON object.
std::optional<RunStatus> read_status(const std::filesystem::path& path);

}  // namespace adassl::storage
