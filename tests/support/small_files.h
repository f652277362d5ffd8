#pragma once

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "adassl/core/config.h"
#include "adassl/data/files.h"
#include "adassl/storage/npy.h"
#include "adassl/storage/png.h"
#include "support/temporary_directory.h"

namespace adassl::testing {

/// A matrix of numbers that all differ: value (i, j) is i + j / 100.
inline void put_rows(const std::filesystem::path& path, int64_t rows, int64_t width) {
  std::vector<float> values;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < width; ++j) {
      values.push_back(static_cast<float>(i) + static_cast<float>(j) / 100);
    }
  }
  storage::write_npy(path, storage::Dtype::kF32, {rows, width}, std::as_bytes(std::span(values)));
}

/// A picture of one colour with some stripes, so that pictures differ.
inline void put_picture(const std::filesystem::path& path, int number) {
  storage::Image image = storage::make_image(12 + number % 3, 10, 3);
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    image.pixels[i] = static_cast<uint8_t>(number * 7 + (i % 9 == 0 ? 60 : 0));
  }
  std::filesystem::create_directories(path.parent_path());
  put(path, storage::encode_png(image));
}

/// `folders` folders called f0, f1, ... with `each` pictures 0.png, 1.png, ...
inline void put_pictures(const std::filesystem::path& root, int folders, int each) {
  for (int f = 0; f < folders; ++f) {
    for (int i = 0; i < each; ++i) {
      put_picture(root / ("f" + std::to_string(f)) / (std::to_string(i) + ".png"), f * each + i);
    }
  }
}

/// The source `files` from the text of a configuration.
inline std::shared_ptr<data::Files> files_source(const std::string& text, uint64_t seed = 1) {
  Config config = Config::from_text(text, "test");
  return std::static_pointer_cast<data::Files>(data::files_entry().make(config, "data", seed));
}

/// Samples alone.
inline std::shared_ptr<data::SampleSet> samples_from(const std::string& text) {
  Config config = Config::from_text(text, "test");
  return make_part(data::sample_kinds(), config, "samples", "arrays",
                   [](int64_t, int64_t, const std::string&) {});
}

}  // namespace adassl::testing
