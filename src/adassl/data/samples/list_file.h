#pragma once

#include <filesystem>

#include "adassl/data/samples/columns.h"
#include "adassl/data/samples/names.h"

namespace adassl::data {

/// The files that a list names, in its order, and what else it says about them.
struct FileList {
  Names names;
  DataColumns columns;
};

/// Reads a text file with one path on each line, or a CSV file with a column path, file, filename,
/// image, name or id, whose other columns are kept.
FileList read_file_list(const std::filesystem::path& path);

/// Error if one of these names, which are relative to the folder, leads out of it: by "..", as a
/// whole path, or over a symbolic link. A list from elsewhere must not choose which other files of
/// this computer are read.
void require_below(const std::filesystem::path& folder, const Names& names,
                   const std::filesystem::path& list);

}  // namespace adassl::data
