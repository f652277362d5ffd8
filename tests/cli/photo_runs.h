#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "adassl/core/random.h"
#include "adassl/storage/png.h"

/// Runs on folders of small photos.
namespace adassl::testing {

inline void write_noise(const std::filesystem::path& path, random::Sequence& draws) {
  storage::Image image = storage::make_image(16, 16, 3);
  for (uint8_t& value : image.pixels) value = static_cast<uint8_t>(draws.below(256));
  storage::write_png(path, image);
}

constexpr size_t kPhotoSteps = 300;

/// `train` on photos, with a model so small that a step takes some milliseconds.
inline std::vector<std::string> train_on_photos(const std::filesystem::path& photos,
                                                const std::filesystem::path& run,
                                                const std::vector<std::string>& overrides) {
  std::vector<std::string> out = {"train",
                                  photos,
                                  "--run",
                                  run,
                                  "samples.index=none",
                                  "train.steps=" + std::to_string(kPhotoSteps),
                                  "train.batch=8",
                                  "train.log_every=1",
                                  "train.checkpoint_every=20",
                                  "train.probe_every=100",
                                  "views.size=8",
                                  "encoder.kind=mlp",
                                  "encoder.hidden=[16]",
                                  "encoder.out=8",
                                  "latent.hidden=[8]",
                                  "latent.dim=2",
                                  "editor.hidden=[8]",
                                  "compute.threads=1"};
  out.insert(out.end(), overrides.begin(), overrides.end());
  return out;
}

}  // namespace adassl::testing
