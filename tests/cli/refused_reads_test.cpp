#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "support/small_videos.h"
#include "support/temporary_directory.h"
#include "trust/process.h"

/// A disk that fails once while files are checked says nothing about these files.
namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// What `data inspect` finds to be unusable.
nlohmann::json unusable(const fs::path& data, const fs::path& index) {
  const Result result =
      run_program({"data", "inspect", data.string(), "--json", "samples.index=" + index.string(),
                   "data.validation=0", "data.test=0"});
  EXPECT_EQ(result.code, 0) << result.err;
  return nlohmann::json::parse(result.out).at("unusable");
}

void expect_one_refusal(const fs::path& data, const TemporaryDirectory& folder) {
  const fs::path index = folder / "index";
  {
    const trust::WithFault once({"read", 1, "EIO", ""}, data, folder / "counters");
    const auto found = unusable(data, index);
    ASSERT_EQ(found.size(), 1U) << found;
    EXPECT_THAT(found[0]["reason"].get<std::string>(),
                HasSubstr("cannot be read: Input/output error"));
  }
  ASSERT_TRUE(fs::exists(index));
  EXPECT_EQ(unusable(data, index).size(), 0U);
}

TEST(RefusedReads, OfPicturesAreNotRemembered) {
  const TemporaryDirectory folder;
  for (int i = 0; i < 6; ++i) {
    storage::Image image = storage::make_image(12, 12, 3);
    image.pixels.assign(image.pixels.size(), static_cast<uint8_t>(30 * i));
    fs::create_directories(folder / "data");
    storage::write_png(folder / "data" / (std::to_string(i) + ".png"), image);
  }
  expect_one_refusal(folder / "data", folder);
}

TEST(RefusedReads, OfVideosAreNotRemembered) {
  const TemporaryDirectory folder;
  fs::create_directories(folder / "data");
  for (const char* name : {"a.avi", "b.mp4"}) put_video(folder / "data" / name);
  expect_one_refusal(folder / "data", folder);
}

}  // namespace
}  // namespace adassl::testing
