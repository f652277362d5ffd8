#pragma once

#include <optional>

#include "adassl/core/batch.h"

namespace adassl::report {

/// The shape of observations that can be drawn: clips [channels, frames, height, width], or images,
/// which are clips of one frame.
struct Clip {
  int64_t channels, frames, height, width;
  int64_t pixels() const { return height * width; }
  /// The offset at which frame t of a sample begins.
  size_t frame(int64_t sample, int64_t channel, int64_t t) const {
    return static_cast<size_t>(((sample * channels + channel) * frames + t) * pixels());
  }
};

/// The shape of clips or images with 1 or 3 channels; nullopt for all other observations.
inline std::optional<Clip> clip_of(const Array& x) {
  const auto& shape = x.shape;  // the first dimension counts samples
  if (shape.size() != 4 && shape.size() != 5) return {};
  if (shape[1] != 1 && shape[1] != 3) return {};
  if (shape.size() == 4) return Clip{shape[1], 1, shape[2], shape[3]};
  return Clip{shape[1], shape[2], shape[3], shape[4]};
}

}  // namespace adassl::report
