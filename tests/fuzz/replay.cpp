/// Drives a harness without libFuzzer: replay FOLDER [MUTATIONS [FIRST]] tries every file of the
/// corpus, then that many seeded mutations of them. Always the same inputs, so that a failure can
/// be repeated; FIRST starts at a later mutation.

#include <algorithm>
#include <csignal>
#include <exception>
#include <vector>

#include <unistd.h>

#include "fuzz/harness.h"
#include "support/mutation.h"

// A sanitizer that finds something calls abort(), as our own checks do: then main's handler names
// the input.
extern "C" const char* __asan_default_options() { return "abort_on_error=1"; }
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

namespace {

namespace fs = std::filesystem;
using adassl::testing::contents;
using adassl::testing::damaged;

char current[256];  // which input is tried: read by a signal handler

void name_input(int) {
  const std::string_view name(current);
  [[maybe_unused]] const ssize_t ignored = ::write(2, name.data(), name.size());
}

/// False when the harness let an exception out.
bool survives(const std::string& input, const std::string& name) {
  std::snprintf(current, sizeof current, "replay: %s\n", name.c_str());
  try {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "finding: exception: %s\n%s", error.what(), current);
  } catch (...) {
    std::fprintf(stderr, "finding: exception of a strange type\n%s", current);
  }
  return false;
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& item : fs::directory_iterator(folder)) out.push_back(item.path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return std::fprintf(stderr, "replay FOLDER [MUTATIONS [FIRST]]\n"), 2;
  // Readers take paths, and writers wait for the disk: files in memory spare thousands of syncs.
  if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", /*overwrite=*/0);
  const auto number = [&](int i) { return i < count ? std::stoul(arguments[i]) : 0; };
  const std::vector<fs::path> files = files_below(arguments[1]);
  if (files.empty()) return std::fprintf(stderr, "replay: %s is empty\n", arguments[1]), 2;
  std::signal(SIGABRT, name_input);
  std::vector<std::string> seeds;
  bool good = survives("", "the empty input");
  for (const fs::path& file : files) {
    seeds.push_back(contents(file));
    good = survives(seeds.back(), file.filename().string()) && good;
  }
  const adassl::random::Stream stream(23, "replay");
  for (size_t i = number(3); i < number(3) + number(2); ++i) {
    const size_t of = i % seeds.size();
    const std::string name =
        "mutation " + std::to_string(i) + ", of " + files[of].filename().string();
    good = survives(damaged(seeds[of], stream.at(static_cast<uint32_t>(i))), name) && good;
  }
  return good ? 0 : 1;
}
