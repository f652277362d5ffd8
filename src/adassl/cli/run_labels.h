#pragma once

#include <set>
#include <string>

#include "adassl/storage/run_directory.h"

namespace adassl::cli {

/// The name of a run in a picture of several runs: its method; if another run already has that
/// name, its folder's name; if that is taken too, its path as it was typed. Adds the name to
/// `taken`.
std::string run_label(const std::string& method, const storage::RunDirectory& run,
                      const std::string& path, std::set<std::string>& taken);

}  // namespace adassl::cli
