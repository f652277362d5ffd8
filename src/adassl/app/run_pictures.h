#pragma once

#include <string>
#include <vector>

#include "adassl/report/sections.h"
#include "adassl/storage/run_directory.h"

namespace adassl::app {

/// The samples of these names, as the evaluations of a run that was trained on pictures see them.
/// Samples that cannot be found or read any more are left out: a page can be made without them.
report::Pictures pictures_of_run(const storage::RunDirectory& run,
                                 const std::vector<std::string>& names);

}  // namespace adassl::app
