#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace adassl::trust {

/// What became of a promise after it was tried many times.
struct Outcome {
  std::string promise;
  size_t tried = 0;
  std::vector<std::string> violations;  // one line each, with how to bring it about
  double seconds = 0;
  std::string worst;  // the most interesting number or case
};

/// Prints violations and, as the last line on stdout, the outcome as JSON. Returns the exit code.
int conclude(const Outcome& outcome);

}  // namespace adassl::trust
