#include "adassl/data/samples/cached_images.h"

#include "adassl/core/error.h"

namespace adassl::data {

CachedImages::CachedImages(images::Cache cache, std::vector<std::string> names, DataColumns columns,
                           std::vector<std::string> declared, double tolerate,
                           const std::string& where)
    : cache_(std::move(cache)), names_(std::move(names)) {
  ADASSL_CHECK(static_cast<int64_t>(names_.size()) == count(), "[", where, "] expected ", count(),
               " names, one for each image, got ", names_.size());
  add_columns(columns_, std::move(columns), where);
  declared_ = std::move(declared);
  for (int64_t i = 0; i < count(); ++i) {
    if (!cache_.has(i)) rejected_.push_back({i, name(i), "is absent"});
  }
  require_tolerable(rejected_, count(), tolerate, where);
}

storage::Image CachedImages::fetch_picture(int64_t i, int64_t /*frame*/) const {
  const images::Pixels pixels = cache_.image(i);
  return {pixels.width, pixels.height, 3, {pixels.bytes.begin(), pixels.bytes.end()}};
}

}  // namespace adassl::data
