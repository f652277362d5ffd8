#pragma once

#include <vector>

#include "adassl/data/samples/sequences.h"
#include "adassl/video/reader.h"

namespace adassl::data {

/// Video files, each decoded once to see what it consists of. What is found is remembered in the
/// index. A video that is damaged anywhere has no frames that can be used. A file that is changed
/// or removed later is an error.
class VideoFiles final : public Sequences {
 public:
  VideoFiles(const std::filesystem::path& path, const FileOptions& options,
             const Progress& progress);

  int64_t count() const override { return files_.count(); }
  std::string name(int64_t sequence) const override { return std::string(files()[sequence]); }
  int64_t frames(int64_t sequence) const override { return index(sequence).frames(); }
  storage::Image read(int64_t sequence, int64_t frame) const override;
  std::string fault(int64_t sequence, int64_t /*frame*/) const override {
    return files_.fault(sequence);
  }
  bool disk_failed() const override { return files_.disk_failed(); }
  std::pair<int64_t, int64_t> extent(int64_t sequence) const override {
    return {index(sequence).width, index(sequence).height};
  }
  uint64_t content(int64_t sequence, int64_t frame) const override {
    return index(sequence).sums[static_cast<size_t>(frame)];
  }
  double seconds(int64_t sequence, int64_t frame) const override {
    return index(sequence).times[static_cast<size_t>(frame)];
  }
  int64_t file(int64_t sequence, int64_t /*frame*/) const override { return sequence; }
  const Names& files() const override { return files_.names(); }
  /// Those of a list, and the column `video`.
  const DataColumns& columns() const override { return columns_; }

 private:
  const video::Index& index(int64_t sequence) const {
    return indexes_[static_cast<size_t>(sequence)];
  }
  storage::Image decode(int64_t sequence, int64_t frame) const;
  void use_cache(const FileOptions& options, const Progress& progress);

  CheckedFiles files_;
  DataColumns columns_;
  std::vector<video::Index> indexes_;  // one for each file
  mutable video::Readers readers_;
  std::vector<int64_t> first_;  // the number of each video's first frame in the cache
  std::shared_ptr<const images::Cache> cache_;  // null: frames are decoded each time
};

}  // namespace adassl::data
