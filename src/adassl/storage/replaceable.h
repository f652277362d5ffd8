#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace adassl::storage {

/// The first bytes of a file, at most `size` of them; none if it cannot be read.
std::string first_bytes(const std::filesystem::path& path, size_t size);

/// Error if `path`, which the user named as a place to write to, holds something else than what is
/// written there: a file that is not empty and does not begin with `begin`. `what` names what is
/// written, `option` how the user named the place.
void require_replaceable(const std::filesystem::path& path, std::string_view begin,
                         const std::string& what, const std::string& option);

}  // namespace adassl::storage
