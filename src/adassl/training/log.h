#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace adassl::training {

/// The run's text log, with times; warnings also reach the terminal. A log that cannot be written
/// never stops a run.
class Log {
 public:
  explicit Log(const std::filesystem::path& path) : out_(path, std::ios::app) {}
  void say(const std::string& line);
  void warn(const std::string& line);

 private:
  std::ofstream out_;
};

}  // namespace adassl::training
