#include "adassl/training/log.h"

#include <algorithm>
#include <bit>
#include <iostream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "adassl/core/error.h"
#include "adassl/core/text.h"

namespace adassl::training {

Log::Log(const std::filesystem::path& path)
    : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {}

void Log::say(const std::string& line) {
  const std::string text = text::utc_now() + " " + one_line(line) + "\n";
  [[maybe_unused]] const ssize_t ignored = ::write(file_.number(), text.data(), text.size());
}

void Log::warn(const std::string& line) {
  std::string kind = line;
  std::erase_if(kind, [](char c) { return c >= '0' && c <= '9'; });
  const int64_t times = ++told_[kind];
  if (!std::has_single_bit(static_cast<uint64_t>(times))) return;
  const std::string text =
      "warning: " + line + (times > 1 ? fmt::format(" (occurred {} times so far)", times) : "");
  std::cerr << text << std::endl;
  say(text);
}

}  // namespace adassl::training
