#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "adassl/core/config.h"
#include "adassl/parts/catalogue.h"
#include "adassl/parts/run.h"

namespace adassl::parts {

/// The settings of a run, besides those of its parts.
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

/// Reads and checks the whole configuration, including the parts that it names, but builds nothing:
/// no data is opened, no memory allocated, no thread started. Afterwards config.resolved() has
/// every key; values that follow from the data are still "auto". Error for the first mistake.
Settings resolve(Config& config, const Catalogue& catalogue);

}  // namespace adassl::parts
