#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "adassl/data/samples/columns.h"
#include "adassl/data/samples/folder.h"
#include "adassl/data/samples/index.h"
#include "adassl/data/samples/samples.h"
#include "adassl/images/cache.h"
#include "adassl/images/decode.h"

namespace adassl::data {

/// The options of all samples that are made of image files.
struct ImageFileOptions {
  std::string root;
  bool follow_links = false;
  std::string check = "decode";
  std::string index = "auto";
  std::string cache;
  int64_t cache_side = 256;
  void visit(Fields& field);
};

/// The image files of a folder or of a list, every one of them checked. Whether a file can be used
/// is decided before the first pair is made, so that pairs depend neither on the number of workers
/// nor on when a damaged file would be met. A file that is changed or removed later is an error.
class ImageFiles {
 public:
  ImageFiles(const std::filesystem::path& path, const ImageFileOptions& options,
             const Progress& progress);

  int64_t count() const { return names_.count(); }
  const Names& names() const { return names_; }
  const FileRecord& record(int64_t i) const { return index_.records[static_cast<size_t>(i)]; }
  /// Why file i cannot be used; empty if it can.
  std::string fault(int64_t i) const;
  storage::Image read(int64_t i) const;
  /// Columns of a list in CSV format, besides the paths.
  const DataColumns& columns() const { return columns_; }
  /// Files of the folder that are no images by their names.
  int64_t others() const { return others_; }

 private:
  void read_list(const std::filesystem::path& path);
  void check_files(const std::filesystem::path& index, bool decode, const Progress& progress);
  void reuse(const FileIndex& known);
  std::string check_file(int64_t i, bool decode);
  void use_cache(const std::filesystem::path& path, int64_t side, const Progress& progress);
  storage::Image decode(int64_t i) const;

  std::filesystem::path folder_;
  Names names_;
  FileIndex index_;                             // record i belongs to file i
  std::shared_ptr<const images::Cache> cache_;  // null: images are decoded each time
  DataColumns columns_;
  int64_t others_ = 0;
};

}  // namespace adassl::data
