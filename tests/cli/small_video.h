#pragma once

#include "cli/program.h"

namespace adassl::testing {

/// `train` of configs/video-a-METHOD.toml, with a model and evaluations so small that all of it
/// takes seconds: 5 steps, and a pool of 4 x 4 futures.
Result train_small_video(const std::string& method, const std::filesystem::path& run,
                         const std::filesystem::path& digits,
                         const std::vector<std::string>& overrides = {});

}  // namespace adassl::testing
