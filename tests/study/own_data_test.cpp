#include "adassl/study/own_data.h"

#include <sstream>

#include <gtest/gtest.h>

#include "adassl/parts/automatic.h"
#include "support/small_files.h"

namespace adassl::study {
namespace {

class OwnPictures : public ::testing::Test {
 protected:
  OwnPictures() { testing::put_pictures(folder_.path(), 3, 4); }

  Config configuration(const std::vector<std::string>& overrides) const {
    std::ostringstream ignored;
    return own_data_config(folder_.path().string(), overrides, parts::built_in(), ignored);
  }

 private:
  testing::TemporaryDirectory folder_;
};

TEST_F(OwnPictures, KeepEveryAutomaticChoice) {
  const Config config = configuration({});
  for (const auto& choice : parts::automatic_choices({.frames = 1, .side = 10, .pairs = 12})) {
    EXPECT_TRUE(config.has(choice.key)) << choice.key;
  }
}

TEST_F(OwnPictures, AreComparedAsInTheImageExperimentsOfThePaper) {
  for (const char* method : {"adassl-s", "custom"}) {
    Config config = configuration({std::string("method=") + method});
    EXPECT_EQ(config.read_text("objective.form", "", ""), "cosine") << method;
    EXPECT_EQ(config.read_text("objective.negatives", "", ""), "both") << method;
    EXPECT_TRUE(config.has("objective.clamp")) << method;
  }
}

TEST_F(OwnPictures, AreNotGivenOptionsThatNobodyReads) {
  for (const auto& [override, key] : std::vector<std::pair<std::string, std::string>>{
           {"method=beta-vae", "objective.form"},
           {"objective.kind=distillation", "objective.form"},
           {"method=custom", "latent.beta"}}) {
    EXPECT_FALSE(configuration({override}).has(key)) << override;
  }
}

TEST_F(OwnPictures, ArePairedAndSeenAsTheFoldersSay) {
  // tests/cli/inspect_test.cpp expects the same of `adassl data inspect`.
  const auto chosen = [](const std::filesystem::path& path) {
    std::ostringstream ignored;
    Config config =
        own_data_config(path.string(), {"samples.index=none"}, parts::built_in(), ignored);
    return config.read_text("pairing.kind", "", "") + ", " +
           config.read_text("views.kind", "plain", "");
  };
  const testing::TemporaryDirectory folder;
  testing::put_pictures(folder / "all", 3, 4);
  EXPECT_EQ(chosen(folder.path()), "group, weak");
  std::filesystem::create_directories(folder / "all" / "f0" / ".a");
  std::filesystem::create_directories(folder / "all" / "f0" / ".b");
  EXPECT_EQ(chosen(folder / "all" / "f0"), "self, strong");
  testing::put_rows(folder / "a.npy", 100, 2);
  EXPECT_EQ(chosen(folder / "a.npy"), "self, operations");
}

}  // namespace
}  // namespace adassl::study
