#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "adassl/storage/file.h"

namespace adassl::training {

/// The run's text log, with times; warnings also reach the terminal. A log that cannot be written
/// never stops a run.
class Log {
 public:
  explicit Log(const std::filesystem::path& path);
  void say(const std::string& line);
  /// A repeated warning, even with other numbers in it, is shown only the 1st, 2nd, 4th, 8th, ...
  /// time.
  void warn(const std::string& line);

 private:
  storage::FileDescriptor file_;
  std::map<std::string, int64_t> told_;  // warnings without their numbers, and how often
};

}  // namespace adassl::training
