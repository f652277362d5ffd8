#include "adassl/core/config.h"
#include "adassl/core/text.h"
#include "fuzz/harness.h"
#include "fuzz/options.h"

/// Each line is one key=value, as on the command line.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adassl;
  Config config = Config::from_text("[train]\nsteps = 3\n", "input.toml");
  // A zero byte separates assignments: a newline may be part of one.
  for (const std::string& assignment : text::split(fuzz::text_of(data, size), '\0')) {
    fuzz::accepted([&] { config.override_with(assignment); });
  }
  fuzz::accepted([&] {
    Config again = Config::from_text(config.given(), "given.toml");
    fuzz::require(again.given() == config.given(), "given() reads back as the same text");
  });
  fuzz::accepted([&] { fuzz::read_all(config); });
  fuzz::accepted([&] { config.require_all_read(); });
  return 0;
}
