#pragma once

#include "adassl/data/samples/checked_files.h"
#include "adassl/images/decode.h"

namespace adassl::data {

/// The image files of a folder or of a list, every one of them checked. A file that is changed or
/// removed later is an error.
class ImageFiles {
 public:
  ImageFiles(const std::filesystem::path& path, const FileOptions& options,
             const Progress& progress);
  /// These files of a folder. `described_by` names them in the user's folder of indices.
  ImageFiles(std::filesystem::path folder, Names names, const std::filesystem::path& described_by,
             const FileOptions& options, const Progress& progress);

  int64_t count() const { return files_.count(); }
  const Names& names() const { return files_.names(); }
  const FileRecord& record(int64_t i) const { return files_.record(i); }
  /// Why file i cannot be used; empty if it can.
  std::string fault(int64_t i) const { return files_.fault(i); }
  bool disk_failed() const { return files_.disk_failed(); }
  storage::Image read(int64_t i) const;
  /// Columns of a list in CSV format, besides the paths.
  const DataColumns& columns() const { return files_.columns(); }
  const std::string& remark() const { return files_.remark(); }

 private:
  void look_at(const FileOptions& options, const Progress& progress);
  storage::Image decode(int64_t i) const;

  CheckedFiles files_;
  std::shared_ptr<const images::Cache> cache_;  // null: images are decoded each time
};

}  // namespace adassl::data
