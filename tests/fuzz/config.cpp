#include "adassl/core/config.h"

#include "fuzz/harness.h"
#include "fuzz/options.h"

namespace adassl {
namespace {

/// What was asked for, written and read again, is the same.
void require_same_given(const Config& config) {
  const Config again = Config::from_text(config.given(), "given.toml");
  fuzz::require(again.given() == config.given(), "given() reads back as the same text");
  fuzz::require(config.difference_from(again).empty() && again.difference_from(config).empty() &&
                    config.key_missing_in(again).empty(),
                "given() reads back as the same configuration");
}

/// A resolved configuration resolves to itself.
void require_same_resolved(const Config& config) {
  const std::string resolved = config.resolved();
  Config again = Config::from_text(resolved, "config.toml");
  fuzz::read_all(again);
  again.require_all_read();
  fuzz::require(again.resolved() == resolved, "a resolved configuration resolves to itself");
}

}  // namespace
}  // namespace adassl

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adassl;
  fuzz::accepted([&] {
    Config config = Config::from_text(fuzz::text_of(data, size), "input.toml");
    require_same_given(config);
    for (const std::string& name : config.names_below("")) config.count(name);
    fuzz::read_all(config);
    fuzz::accepted([&] { config.require_all_read(); });
    require_same_resolved(config);
  });
  return 0;
}
