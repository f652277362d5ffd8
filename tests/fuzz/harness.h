#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "adassl/core/error.h"
#include "support/temporary_directory.h"

/// What every harness promises: whatever the input, the code under test either works or throws an
/// Error of one line. Another exception, a sanitizer's report, a hang or too much memory is a
/// finding. A harness is one .cpp file that defines LLVMFuzzerTestOneInput; libFuzzer drives it, or
/// replay.cpp does where there is no libFuzzer.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace adassl::fuzz {

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process unless the condition holds: the driver then keeps the input.
inline void require(bool condition, std::string_view promise) {
  if (condition) return;
  std::fprintf(stderr, "finding: broken promise: %.*s\n", static_cast<int>(promise.size()),
               promise.data());
  std::abort();
}

/// No control character, so that a message cannot move the cursor of a terminal either.
inline bool is_one_line(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  }
  return true;
}

/// Whether `call` worked; false when it refused its input with an Error.
template <class Call>
bool accepted(const Call& call) {
  try {
    call();
    return true;
  } catch (const Error& error) {
    require(is_one_line(error.what()), "an Error is one line");
    return false;
  }
}

/// A file that holds the input, always the same one: readers take paths.
inline std::filesystem::path file_with(std::string_view bytes) {
  static const testing::TemporaryDirectory folder;
  const std::filesystem::path path = folder / "input";
  testing::put(path, bytes);
  return path;
}

/// A place beside it where the code under test may write.
inline std::filesystem::path copy_of(const std::filesystem::path& path) {
  return path.parent_path() / "copy";
}

}  // namespace adassl::fuzz
