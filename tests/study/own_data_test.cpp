#include "adassl/study/own_data.h"

#include <cmath>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/parts/automatic.h"
#include "support/error_message.h"
#include "support/small_files.h"

namespace adassl::study {
namespace {

using ::testing::HasSubstr;

class OwnPictures : public ::testing::Test {
 protected:
  OwnPictures() { testing::put_pictures(folder_.path(), 3, 4); }

  Config configuration(const std::vector<std::string>& overrides) const {
    std::ostringstream ignored;
    return own_data_config(folder_.path().string(), overrides, parts::built_in(), ignored);
  }

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

TEST_F(OwnPictures, AreNamedByWholePathsWhateverTheUserWrote) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  std::ostringstream ignored;
  Config config = own_data_config(".",
                                  {"samples.index=none", "samples.cache=a b.cache",
                                   "samples.root=\"f0\"", "encoder.init_from=w.safetensors"},
                                  parts::built_in(), ignored);
  std::filesystem::current_path(before);
  const auto text = [&](const char* key) { return config.read_text(key, "", ""); };
  EXPECT_EQ(text("samples.path"), (folder_ / ".").string());
  EXPECT_EQ(text("samples.cache"), (folder_ / "a b.cache").string());
  EXPECT_EQ(text("samples.root"), (folder_ / "f0").string());
  EXPECT_EQ(text("encoder.init_from"), (folder_ / "w.safetensors").string());
  EXPECT_EQ(text("samples.index"), "none");
}

TEST_F(OwnPictures, AreCountedAsTheyWillBeTrainedOn) {
  std::ostringstream out;
  own_data_config(folder_.path().string(), {}, parts::built_in(), out);
  EXPECT_THAT(out.str(), ::testing::HasSubstr(
                             ": 12 samples, split into 10 train, 1 validation, 1 test (by sample: "
                             "whole groups would leave 1 of 3 for training)\n10 pairs in an "
                             "epoch; chosen for them:\n"));
}

TEST_F(OwnPictures, AreNotChosenForWhereAKeyIsMisspelt) {
  std::ostringstream out;
  EXPECT_THAT(testing::error_of([&] {
                own_data_config(folder_.path().string(), {"samples.tabel=a.csv"}, parts::built_in(),
                                out);
              }),
              ::testing::HasSubstr("did you mean 'samples.table'?"));
  EXPECT_EQ(out.str(), "");
}

TEST_F(OwnPictures, ArePairedAndSeenAsTheFoldersSay) {
  // tests/cli/inspect_test.cpp expects the same of `adassl data inspect`.
  const auto chosen = [](const std::filesystem::path& path,
                         const std::string& more = "samples.index=none") {
    std::ostringstream ignored;
    Config config = own_data_config(path.string(), {more}, parts::built_in(), ignored);
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
  EXPECT_EQ(chosen(folder / "a.npy", "seed=1"), "self, operations");
}

/// Three channels of very different scales, and one that is constant. The last tenths are held out
/// and lie elsewhere.
class OwnSignal : public ::testing::Test {
 protected:
  OwnSignal() {
    std::vector<float> values;
    for (int t = 0; t < kRows; ++t) {
      const auto wave = static_cast<float>(t < 8 * kRows / 10 ? std::sin(0.1 * t) : 50);
      for (const float value : {3e6F + 1e6F * wave, 1e-3F * wave, 300 - 2 * wave, 7.1F}) {
        values.push_back(value);
      }
    }
    storage::write_npy(path(), storage::Dtype::kF32, {kRows, 4}, std::as_bytes(std::span(values)));
  }
  std::string path() const { return (folder_ / "signal.npy").string(); }
  Config configuration(std::vector<std::string> overrides) {
    overrides.insert(overrides.end(), {"pairing.kind=time", "pairing.gap=1"});
    return own_data_config(path(), overrides, parts::built_in(), said_);
  }

  static constexpr int kRows = 2000;
  testing::TemporaryDirectory folder_;
  std::ostringstream said_;
};

TEST_F(OwnSignal, IsStandardisedByItsTrainingRows) {
  for (const char* window : {"samples.window=0", "samples.window=8"}) {
    Config config = configuration({window});
    const auto samples = make_part(data::sample_kinds(), config, "samples", "arrays",
                                   data::Progress([](int64_t, int64_t, const std::string&) {}));
    int64_t size = 1;
    for (const int64_t extent : samples->shape()) size *= extent;
    std::vector<float> row(static_cast<size_t>(size));
    std::vector<double> sum(4), square(4);
    const int count = 1500;
    for (int64_t i = 0; i < count; ++i) {
      samples->fetch_row(i, row);
      for (size_t c = 0; c < 4; ++c) {
        sum[c] += row[c];
        square[c] += row[c] * row[c];
      }
    }
    for (size_t c = 0; c < 4; ++c) {
      EXPECT_NEAR(sum[c] / count, 0, 0.05) << window << " channel " << c;
      EXPECT_NEAR(square[c] / count, c < 3 ? 1 : 0, 0.05) << window << " channel " << c;
    }
  }
  EXPECT_THAT(said_.str(), HasSubstr("  samples.mean               [3"));
  EXPECT_THAT(said_.str(), HasSubstr(", 1]"));
  EXPECT_THAT(said_.str(), HasSubstr("so that numbers of any scale count alike\n"));
}

TEST_F(OwnSignal, IsLeftAsItIsWhereTheUserStandardisesIt) {
  for (const char* asked : {"samples.mean=[0]", "samples.deviation=[2.0]"}) {
    const Config config = configuration({asked});
    EXPECT_NE(config.has("samples.mean"), config.has("samples.deviation")) << asked;
  }
  EXPECT_EQ(said_.str().find("samples.mean"), std::string::npos);
}

TEST_F(OwnSignal, OfManyNumbersInARowIsStandardisedAsAWhole) {
  std::vector<float> values(100 * 5000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 2 == 0 ? 3 : 7);
  storage::write_npy(path(), storage::Dtype::kF32, {100, 5000}, std::as_bytes(std::span(values)));
  configuration({});
  EXPECT_THAT(said_.str(), HasSubstr("  samples.mean               [5] "));
  EXPECT_THAT(said_.str(), HasSubstr("  samples.deviation          [2] "));
}

TEST_F(OwnSignal, OfSomeNumbersInARowIsPrintedInShort) {
  testing::put_rows(path(), 100, 500);
  configuration({});
  EXPECT_THAT(said_.str(), HasSubstr(", ... (500 numbers) of the training samples"));
}

}  // namespace
}  // namespace adassl::study
