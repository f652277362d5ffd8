#pragma once

#include <filesystem>
#include <string>

namespace adassl::cli {

/// Writes a page with one section: a sentence about it, and a body that is HTML already. Makes the
/// folder if it is missing.
void write_sample_page(const std::filesystem::path& path, const std::string& title,
                       const std::string& about, const std::string& body);

}  // namespace adassl::cli
