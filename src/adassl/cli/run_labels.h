#pragma once

#include <set>
#include <string>

#include "adassl/storage/run_directory.h"

namespace adassl::cli {

/// The name of a run in a picture of several: its method, or where another run has that name
/// already its folder, or its path as it was typed. Adds it to those that are taken.
std::string run_label(const std::string& method, const storage::RunDirectory& run,
                      const std::string& path, std::set<std::string>& taken);

}  // namespace adassl::cli
