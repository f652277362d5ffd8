#include "adassl/bench/pictures.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "adassl/core/error.h"
#include "adassl/core/random.h"
#include "adassl/images/resize.h"

namespace adassl::bench {

namespace fs = std::filesystem;

storage::Image scene(int64_t width, int64_t height, uint32_t number) {
  storage::Image out = storage::make_image(width, height, 3);
  std::vector<float> sums(out.pixels.size(), 128.0F);
  random::Sequence draws = random::Stream(1, "scene").at(number);
  float strength = 70;
  for (int64_t cells = 2; cells < std::max(width, height) && strength > 3; cells *= 2) {
    storage::Image coarse = storage::make_image(cells, cells, 3);
    for (uint8_t& value : coarse.pixels) value = static_cast<uint8_t>(draws.bits() >> 24);
    const storage::Image smooth = images::resized(coarse, width, height);
    for (size_t i = 0; i < sums.size(); ++i) {
      sums[i] += strength * (static_cast<float>(smooth.pixels[i]) / 127.5F - 1);
    }
    strength *= 0.6F;
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    out.pixels[i] = static_cast<uint8_t>(std::clamp(sums[i], 0.0F, 255.0F));
  }
  return out;
}

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "adassl-bench-XXXXXX").string();
  ADASSL_CHECK(::mkdtemp(name.data()) != nullptr, "[bench] no temporary folder can be made");
  path = name;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

}  // namespace adassl::bench
