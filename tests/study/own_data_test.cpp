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

}  // namespace
}  // namespace adassl::study
