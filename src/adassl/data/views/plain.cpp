#include "adassl/data/views/plain.h"

#include <algorithm>

#include "adassl/images/resize.h"

namespace adassl::data {

PlainView::PlainView(const Options& options) : options_(options) {
  if (options_.shorter == 0) options_.shorter = options_.size;
  ADASSL_CHECK(options_.shorter >= options_.size,
               "[views] shorter: expected at least size = ", options_.size, ", got ",
               options_.shorter);
}

void PlainView::see(const images::Pixels& image, random::Sequence&, std::span<uint8_t> out) const {
  images::resize(image,
                 images::centre_square(image.width, image.height, options_.shorter, options_.size),
                 out);
}

void PlainView::see(std::span<const float> row, random::Sequence&, std::span<float> out) const {
  ADASSL_CHECK(row.size() == out.size(), "[views] expected room for ", row.size(), " values, got ",
               out.size());
  std::ranges::copy(row, out.begin());
}

}  // namespace adassl::data
