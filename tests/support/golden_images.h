#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "adassl/storage/png.h"
#include "adassl/storage/safetensors.h"
#include "support/temporary_directory.h"

namespace adassl::testing {

/// What Pillow and torchvision made of images: see tools/golden/image_cases.py.
class GoldenImages {
 public:
  static std::filesystem::path folder() {
    return std::filesystem::path(ADASSL_SOURCE_DIR) / "tests/golden/data";
  }
  static std::string file(const std::string& name) { return contents(folder() / "images" / name); }

  std::vector<uint8_t> bytes(const std::string& name) const {
    const auto view = file_.at(name);
    const auto* first = reinterpret_cast<const uint8_t*>(view.bytes.data());
    return {first, first + view.bytes.size()};
  }
  /// A tensor [height, width, 3].
  storage::Image image(const std::string& name) const {
    const auto view = file_.at(name);
    return {view.shape.at(1), view.shape.at(0), view.shape.at(2), bytes(name)};
  }
  std::vector<int64_t> shape(const std::string& name) const { return file_.at(name).shape; }
  /// The names that begin with this.
  std::vector<std::string> below(const std::string& prefix) const {
    std::vector<std::string> out;
    for (const std::string& name : file_.names()) {
      if (name.starts_with(prefix)) out.push_back(name);
    }
    return out;
  }
  /// The numbers that belong to a name.
  std::vector<double> numbers(const std::string& name) const {
    std::istringstream in(file_.metadata().at(name));
    std::vector<double> out;
    for (double value = 0; in >> value;) out.push_back(value);
    return out;
  }

 private:
  storage::Safetensors file_ = storage::Safetensors::read(folder() / "images.safetensors");
};

/// The largest difference of two bytes; 256 when there are not equally many.
inline int largest_difference(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  if (a.size() != b.size()) return 256;
  int out = 0;
  for (size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(int{a[i]} - int{b[i]}));
  return out;
}

}  // namespace adassl::testing
