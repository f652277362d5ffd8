#include "adassl/app/run_pictures.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "adassl/storage/png.h"
#include "support/temporary_directory.h"

namespace adassl::app {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryDirectory;

/// Green with a red square of 12 pixels in its centre.
storage::Image framed() {
  storage::Image image = storage::make_image(20, 24, 3);
  for (int64_t y = 0; y < image.height; ++y) {
    for (int64_t x = 0; x < image.width; ++x) {
      const bool inside = x >= 4 && x < 16 && y >= 6 && y < 18;
      image.pixels[static_cast<size_t>(3 * (y * image.width + x) + (inside ? 0 : 1))] = 255;
    }
  }
  return image;
}

/// The largest value of green in the picture of a run that is configured like this.
int largest_green(const std::string& data) {
  const TemporaryDirectory folder;
  fs::create_directories(folder / "photos");
  fs::create_directories(folder / "run");
  storage::write_png(folder / "photos" / "a.png", framed());
  testing::put(folder / "run" / "config.toml",
               "[data]\nkind = 'files'\n" + data +
                   "\n[samples]\nkind = 'images'\nindex = 'none'\npath = '" +
                   (folder / "photos").string() + "'\n[views]\nkind = 'weak'\nsize = 8\n");
  const auto run = storage::RunDirectory::open(folder / "run", storage::RunDirectory::Lock::kNo);
  const storage::Image image = pictures_of_run(run, {"a.png", "gone.png"}).at("a.png");
  int out = 0;
  for (size_t i = 1; i < image.pixels.size(); i += 3) out = std::max<int>(out, image.pixels[i]);
  return out;
}

TEST(RunPictures, AreSeenAsTheEvaluationsOfTheRunSeeThem) {
  EXPECT_EQ(largest_green(""), 255);
  EXPECT_EQ(largest_green("test_crop = 12"), 0);
  EXPECT_EQ(largest_green("test_shorter = 20"), 0) << "the centre of 8 pixels";
}

}  // namespace
}  // namespace adassl::app
