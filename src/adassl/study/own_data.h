#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "adassl/core/config.h"
#include "adassl/parts/catalogue.h"

namespace adassl::study {

/// Whether this names a user's own data rather than a configuration: a folder, or a file that does
/// not end with .toml.
bool is_own_data(const std::filesystem::path& path);

/// The configuration for a folder or a file, and `key=value` overrides: what they leave open is
/// chosen from the data and from the speed of this machine (parts/automatic.h). Its paths are whole
/// ones, so that the run can be used from any working directory. Error for a key that nobody reads;
/// otherwise prints to `out` what was chosen and why.
Config own_data_config(const std::string& path, const std::vector<std::string>& overrides,
                       const parts::Catalogue& catalogue, std::ostream& out);

}  // namespace adassl::study
