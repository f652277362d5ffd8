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
  if (options_.crop == 0) {
    const auto whole =
        images::centre_square(image.width, image.height, options_.shorter, options_.size);
    images::resize(image, whole, out);
    return;
  }
  const int64_t side = std::min({options_.crop, image.width, image.height});
  images::Resize cut = images::centre_square(side, side, options_.shorter, options_.size);
  cut.box.left = images::half(image.width - side);
  cut.box.top = images::half(image.height - side);
  images::resize(image, cut, out);
}

void PlainView::see(std::span<const float> row, random::Sequence&, std::span<float> out) const {
  ADASSL_CHECK(row.size() == out.size(), "[views] expected room for ", row.size(), " values, got ",
               out.size());
  std::ranges::copy(row, out.begin());
}

}  // namespace adassl::data
