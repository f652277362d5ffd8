#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "adassl/storage/idx.h"
#include "support/small_sets.h"
#include "support/temporary_directory.h"

namespace adassl::testing {

/// A digit for tests: a square in the middle of the image, so that its centre of mass gives the
/// position at which it is drawn. Its size encodes the label, its brightness the number i.
inline void draw_square(int64_t i, uint8_t* image) {
  const int64_t half = 3 + i % 10;
  for (int64_t y = 14 - half; y < 14 + half; ++y) {
    for (int64_t x = 14 - half; x < 14 + half; ++x) {
      image[y * 28 + x] = static_cast<uint8_t>(255 - i % 100);
    }
  }
}

inline storage::IdxArray small_images(int64_t count) {
  storage::IdxArray out{{count, 28, 28}, std::vector<uint8_t>(static_cast<size_t>(count * 784))};
  for (int64_t i = 0; i < count; ++i) draw_square(i, out.values.data() + i * 784);
  return out;
}

/// Digit i is an (i modulo 10).
inline storage::IdxArray small_labels(int64_t count) {
  storage::IdxArray out{{count}, {}};
  for (int64_t i = 0; i < count; ++i) out.values.push_back(static_cast<uint8_t>(i % 10));
  return out;
}

/// The four files of a tiny MNIST.
inline void write_small_mnist(const std::filesystem::path& folder, int64_t train = 60,
                              int64_t test = 20) {
  std::filesystem::create_directories(folder);
  storage::write_idx(folder / "train-images-idx3-ubyte", small_images(train));
  storage::write_idx(folder / "train-labels-idx1-ubyte", small_labels(train));
  storage::write_idx(folder / "t10k-images-idx3-ubyte", small_images(test));
  storage::write_idx(folder / "t10k-labels-idx1-ubyte", small_labels(test));
}

/// One such folder, there until the program ends: 60 training and 20 test digits.
inline std::string small_mnist() {
  static const TemporaryDirectory folder;
  static const bool written = (write_small_mnist(folder.path()), true);
  return written ? folder.path().string() : "";
}

/// Overrides that make an experiment of the repository cheap to build: these digits, a small drawn
/// set, or few candidates for the mixing.
inline std::vector<std::string> cheap_data(const std::filesystem::path& config,
                                           const std::filesystem::path& digits) {
  const std::string name = config.filename().string();
  if (auto drawn = small_set_for(name); !drawn.empty()) return drawn;
  if (!name.starts_with("video")) return {"data.mixing_candidates=5"};
  return {"data.folder=" + digits.string(), "data.validation=10"};
}

}  // namespace adassl::testing
