#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "adassl/data/samples/names.h"

namespace adassl::data {

/// Size and time of a file, by which a change of it is noticed.
struct FileStamp {
  uint64_t size = 0;
  int64_t modified = 0;  // nanoseconds since 1970; 0 if the file cannot be looked at

  bool operator==(const FileStamp&) const = default;
};

/// Whether a file of this name is looked for.
using IsWanted = bool(std::string_view name);

struct FoundFiles {
  Names names;  // relative to the folder
  std::vector<FileStamp> stamps;
  std::map<std::string, int64_t> unread;  // how many pictures in formats that nothing here reads
};

/// Whether the name ends like that of an image: .jpg, .jpeg, .png or .webp, in any case.
bool is_image_name(std::string_view name);

/// The ending of a picture's name in a format that is not read, such as ".heic", in lower case;
/// empty for any other name.
std::string unread_format(std::string_view name);

/// A sentence about the pictures that are not read; empty if there are none.
std::string remark_on_unread(const FoundFiles& found);

/// All files below a folder whose names say what is wanted, in the order of their names, folder by
/// folder. Hidden files and folders are skipped. A symbolic link that leads out of the folder is an
/// Error unless `follow_links`; without it a link to a folder inside is skipped, because its files
/// are found anyway.
FoundFiles find_files(const std::filesystem::path& folder, IsWanted* is_wanted, bool follow_links);

/// The stamps of listed files, in parallel.
std::vector<FileStamp> stamps_of(const std::filesystem::path& folder, const Names& names);

}  // namespace adassl::data
