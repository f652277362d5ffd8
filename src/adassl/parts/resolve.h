#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "adassl/core/config.h"
#include "adassl/parts/catalogue.h"
#include "adassl/parts/run.h"

namespace adassl::parts {

/// What a configuration says of a run, besides its parts.
struct Settings {
  std::string method_name;
  uint64_t seed = 0;
  ComputeOptions compute;
  LoopOptions loop;
  ObserverOptions observers;
  AdamWOptions optimizer;
  EvaluateOptions evaluate;
};

/// The configuration of one run, from a file and `key=value` overrides. Error for a study.
Config read_run_config(const std::filesystem::path& path,
                       const std::vector<std::string>& overrides);

/// Reads the whole configuration, those parts included that it names, and builds nothing: no data
/// is looked for, no memory taken, no thread started. Afterwards config.resolved() has every key.
/// What follows from the data is "auto" there. Error for the first mistake.
Settings resolve(Config& config, const Catalogue& catalogue);

}  // namespace adassl::parts
