#include "adassl/training/log.h"

#include <iostream>

#include "adassl/core/text.h"

namespace adassl::training {

void Log::say(const std::string& line) {
  out_ << text::utc_now() << " " << line << std::endl;
  out_.clear();  // after a full disk, the next line is tried again
}

void Log::warn(const std::string& line) {
  std::cerr << "warning: " << line << std::endl;
  say("warning: " + line);
}

}  // namespace adassl::training
