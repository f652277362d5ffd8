#pragma once

#include <vector>

#include "adassl/data/samples/image_files.h"
#include "adassl/data/samples/sequences.h"

namespace adassl::data {

/// Folders of images: every folder is a sequence, in the natural order of its names.
class FrameFolders final : public Sequences {
 public:
  FrameFolders(const std::filesystem::path& path, const FileOptions& options,
               const Progress& progress);

  int64_t count() const override { return static_cast<int64_t>(begin_.size()) - 1; }
  std::string name(int64_t sequence) const override;
  int64_t frames(int64_t sequence) const override;
  storage::Image read(int64_t sequence, int64_t frame) const override {
    return files_.read(file(sequence, frame));
  }
  std::string fault(int64_t sequence, int64_t frame) const override;
  bool disk_failed() const override { return files_.disk_failed(); }
  std::pair<int64_t, int64_t> extent(int64_t sequence) const override;
  uint64_t content(int64_t sequence, int64_t frame) const override {
    return files_.record(file(sequence, frame)).content;
  }
  double seconds(int64_t sequence, int64_t frame) const override;
  int64_t file(int64_t sequence, int64_t frame) const override {
    return order_[static_cast<size_t>(begin_[static_cast<size_t>(sequence)] + frame)];
  }
  const Names& files() const override { return files_.names(); }
  const DataColumns& columns() const override { return files_.columns(); }

 private:
  ImageFiles files_;
  std::vector<int64_t> order_;  // files by folder, then in natural order
  std::vector<int64_t> begin_;  // of each sequence, a place in order_; and the end of the last
};

}  // namespace adassl::data
