#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "adassl/storage/png.h"

/// Stand-ins for the rendered teapots: images with ten factors each.
namespace adassl::testing {

inline void write_small_teapots(const std::filesystem::path& folder, int64_t count = 40) {
  const auto images = folder / "train" / "images";
  std::filesystem::create_directories(images);
  std::ofstream table(folder / "factors.csv");
  table << "path,split,x,y,z,rotation_x,rotation_y,rotation_z,spot_angle,hue,spot_hue,ground_hue\n";
  for (int64_t i = 0; i < count; ++i) {
    storage::Image image = storage::make_image(16, 16, 3);
    for (size_t k = 0; k < image.pixels.size(); ++k) {
      image.pixels[k] = static_cast<uint8_t>((k * 7 + static_cast<size_t>(i) * 13) % 256);
    }
    const std::string name = "0" + std::to_string(10 + i) + ".png";
    storage::write_png(images / name, image);
    table << "train/images/" << name << (i % 4 == 0 ? ",test" : ",train");
    for (int64_t factor = 1; factor <= 10; ++factor) {
      table << "," << static_cast<double>((i * factor * 17) % 101) / 50 - 1;
    }
    table << "\n";
  }
}

/// Overrides with which a configuration of the teapots reads these.
inline std::vector<std::string> cheap_teapots(const std::filesystem::path& folder) {
  return {"samples.path=" + folder.string(), "samples.table=" + (folder / "factors.csv").string(),
          "samples.index=" + (folder / "index").string()};
}

}  // namespace adassl::testing
