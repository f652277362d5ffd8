#pragma once

#include "adassl/data/samples/samples.h"
#include "adassl/images/cache.h"

namespace adassl::data {

/// The images of a cache (images/cache.h) that was not made from files, such as pictures that were
/// rendered straight into one. Nothing is decoded; an image that is absent cannot be used.
class CachedImages final : public SampleSet {
 public:
  /// `names` and `columns` have an entry for each image. `declared` are kinds of columns.
  CachedImages(images::Cache cache, std::vector<std::string> names, DataColumns columns,
               std::vector<std::string> declared, double tolerate, const std::string& where);

  int64_t count() const override { return cache_.count(); }
  std::string name(int64_t i) const override { return names_[static_cast<size_t>(i)]; }
  int64_t pictures() const override { return 1; }
  storage::Image fetch_picture(int64_t i, int64_t frame) const override;
  std::pair<int64_t, int64_t> extent(int64_t i) const override { return cache_.extent(i); }
  uint64_t content(int64_t i) const override { return cache_.sum(i); }

 private:
  images::Cache cache_;
  std::vector<std::string> names_;
};

}  // namespace adassl::data
