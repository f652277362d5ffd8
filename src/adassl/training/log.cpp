#include "adassl/training/log.h"

#include <chrono>
#include <iostream>

#include <fmt/chrono.h>

namespace adassl::training {

void Log::say(const std::string& line) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  out_ << fmt::format("{:%Y-%m-%dT%H:%M:%SZ} {}\n", fmt::gmtime(now), line) << std::flush;
  out_.clear();  // after a full disk, the next line is tried again
}

void Log::warn(const std::string& line) {
  std::cerr << "warning: " << line << std::endl;
  say("warning: " + line);
}

}  // namespace adassl::training
