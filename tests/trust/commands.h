#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "trust/outcome.h"

/// What `trust` can do; each subcommand lives in a file of its name.
namespace adassl::trust {

struct Options {
  bool all = false;
  bool keep = false;  // leave the folders of cases that were not held
  size_t sample = 24;
  size_t count = 500;
  size_t jobs = 1;
  uint64_t seed = 1;
  std::string only;  // scenario:kind:number:action, or the beginning of it
};

/// Each operation on a file fails once, and the program is run again.
Outcome inject(const Options& options);
/// SIGKILL at random moments, again and again, until a run is through.
Outcome kills(const Options& options);
/// SIGHUP, SIGINT and SIGTERM at start, in training and during an evaluation.
Outcome signals(const Options& options);
/// No space left on the device for a while.
Outcome full_disk(const Options& options);

}  // namespace adassl::trust
