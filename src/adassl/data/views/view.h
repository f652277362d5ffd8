#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "adassl/core/random.h"
#include "adassl/core/table.h"
#include "adassl/images/pixels.h"

namespace adassl::data {

/// How a sample is seen: the third part of a data set, after its samples and their pairing. A view
/// is a pure function of the sample and of the draws. Several threads may call see() at once.
class View {
 public:
  virtual ~View() = default;

  /// Throws an Error that says why if this view does not apply to images, or to arrays. To be
  /// called once, before the first see().
  virtual void require_images() const = 0;
  virtual void require_arrays() const = 0;

  /// The side of a view of an image, in pixels.
  virtual int64_t size() const = 0;

  /// One view of an image: out is [3, size, size], one plane for each colour.
  virtual void see(const images::Pixels& image, random::Sequence& draws,
                   std::span<uint8_t> out) const = 0;
  /// One view of a row of numbers; out has as many.
  virtual void see(std::span<const float> row, random::Sequence& draws,
                   std::span<float> out) const = 0;
};

using ViewEntry = Entry<View>;

/// The table of contents of this folder.
const std::vector<ViewEntry>& views();

}  // namespace adassl::data
