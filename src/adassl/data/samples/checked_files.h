#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "adassl/data/samples/columns.h"
#include "adassl/data/samples/folder.h"
#include "adassl/data/samples/index.h"
#include "adassl/data/samples/samples.h"
#include "adassl/images/cache.h"

namespace adassl::data {

/// The options of all samples that are made of files with pictures.
struct FileOptions {
  std::string root;
  bool follow_links = false;
  bool outside = false;
  std::string check = "decode";
  std::string index = "auto";
  std::string cache;
  int64_t cache_side = 256;
  void visit(Fields& field);
  void visit_reading(Fields& field);  // all but where the files are
};

/// What the files are, and how one is checked.
struct FileKind {
  std::string_view what;     // "images"
  std::string_view endings;  // for messages
  bool (*has_name)(std::string_view name);
  size_t block;  // files that are checked before the user hears of it
  /// Whether details that an index remembers can belong to this file, which it says is good; null
  /// where a record says all and no details are kept. Otherwise the file is checked again.
  bool (*can_be)(const FileRecord& record, std::string_view details) = nullptr;

  bool has_details() const { return can_be != nullptr; }
};

/// The files of a folder or of a list, every one of them checked. Whether a file can be used is
/// decided before the first pair is made, so that pairs depend neither on the number of workers nor
/// on when a damaged file would be met. What was found is remembered in the index.
class CheckedFiles {
 public:
  /// Looks at a file and fills in what is known about it. An Error says why it cannot be used.
  /// Several threads call it at once.
  using Check = std::function<void(const std::filesystem::path& path, FileRecord& record,
                                   std::string& details)>;

  /// Finds the files. Error if there are none.
  CheckedFiles(const FileKind& kind, const std::filesystem::path& path, const FileOptions& options);
  /// These files of a folder. `described_by` names them in the user's folder of indices.
  CheckedFiles(const FileKind& kind, std::filesystem::path folder, Names names,
               const std::filesystem::path& described_by, const FileOptions& options);
  /// Checks those that the index does not know, or knows only by their headers if `decode`.
  void check(const Check& check, bool decode, const Progress& progress);

  int64_t count() const { return names_.count(); }
  const Names& names() const { return names_; }
  std::filesystem::path path(int64_t i) const { return folder_ / names_[i]; }
  const FileRecord& record(int64_t i) const { return index_.records[static_cast<size_t>(i)]; }
  /// Empty for a kind of files of which a record says all.
  std::string_view details(int64_t i) const {
    return index_.details.empty() ? std::string_view() : index_.details[static_cast<size_t>(i)];
  }
  /// Why file i cannot be used; empty if it can.
  std::string fault(int64_t i) const;
  /// Whether the disk failed while files were checked: then not all faults are those of files.
  bool disk_failed() const { return failed_ >= 0; }
  /// Columns of a list in CSV format, besides the paths.
  const DataColumns& columns() const { return columns_; }
  /// What else a user should know of the folder; empty if there is nothing.
  const std::string& remark() const { return remark_; }

  /// A cache of all pictures of these files, `pictures` of them, which is made if it is not there.
  /// An image without pixels is absent. ReadError where the disk failed while files were checked: a
  /// cache without their pictures would be refused as soon as the disk gives them again.
  std::shared_ptr<const images::Cache> cache(const FileOptions& options, int64_t pictures,
                                             const images::MakeImage& make,
                                             const Progress& progress) const;

 private:
  void describe(const std::vector<FileStamp>& stamps, const std::filesystem::path& described_by,
                const FileOptions& options);
  void reuse(const FileIndex& known);
  void check_block(std::span<const int64_t> files, const Check& check);

  FileKind kind_;
  std::filesystem::path folder_;
  std::filesystem::path index_path_;  // empty: nothing is remembered
  Names names_;
  FileIndex index_;  // record i belongs to file i
  /// Files that the system did not let us read, such as those of a disk that does not answer. That
  /// may have passed when the program starts again, so the index does not remember it.
  std::map<int64_t, std::string> refused_;
  int64_t failed_ = -1;  // one of them that the disk did not give; -1: none
  DataColumns columns_;
  std::string remark_;
};

/// As the other require_tolerable. Where the disk failed it is a ReadError, because the user has
/// made no mistake.
void require_tolerable(const std::vector<Rejected>& rejected, int64_t count, double tolerate,
                       const std::string& where, bool disk_failed);

/// The reason without the part in brackets that names the file or the decoder.
std::string without_place(const std::string& message);

}  // namespace adassl::data
