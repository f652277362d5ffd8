#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "support/small_sets.h"
#include "support/temporary_directory.h"

/// The named data sets, from a folder to embeddings, with the repository's own configurations.
namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

struct Case {
  std::string config;
  std::string kind;  // data.kind
  Words sizes;       // so small that a step takes milliseconds
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.config; }

const Words kSmall = {"train.steps=2",
                      "train.batch=8",
                      "train.probe_every=0",
                      "views.size=16",
                      "encoder.width=8",
                      "encoder.stem=small",
                      "evaluate.watch_pairs=16",
                      "evaluate.probe_samples=32",
                      "evaluate.probes.train_samples=60",
                      "evaluate.probes.test_samples=32",
                      "evaluate.utilisation.batch=8",
                      "compute.threads=1"};

class NamedDataSet : public ::testing::TestWithParam<Case> {
 protected:
  Words with(Words command, const std::vector<Words>& more) const {
    for (const Words& words : more) command.insert(command.end(), words.begin(), words.end());
    return command;
  }
  std::string config() const {
    return (fs::path(ADASSL_SOURCE_DIR) / "configs" / (GetParam().config + ".toml")).string();
  }
  Words small_set() const { return small_set_for(GetParam().config); }
  /// The folder with the data, as the first of the overrides names it.
  std::string folder_of_data() const {
    return small_set().front().substr(small_set().front().find('=') + 1);
  }

  TemporaryDirectory folder_;
};

TEST_P(NamedDataSet, IsCheckedWithoutItsFiles) {
  const Result result = run_program({"check", config()}, folder_.path());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("kind = \"" + GetParam().kind + "\""));
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("[pairing]"), HasSubstr("[views]"), HasSubstr("tolerate = 0.01")));
  EXPECT_TRUE(fs::is_empty(folder_.path()));
  const std::string first = small_set().front();  // names the folder, by the configuration's key
  const std::string nowhere = first.substr(0, first.find('=')) + "=/nowhere";
  const Result train = run_program({"train", config(), nowhere}, folder_.path());
  EXPECT_EQ(train.code, 2);
  EXPECT_THAT(train.err, HasSubstr("[/nowhere] expected "));
  EXPECT_EQ(std::count(train.err.begin(), train.err.end(), '\n'), 1) << train.err;
}

TEST_P(NamedDataSet, IsInspected) {
  const Result result =
      run_program(with({"data", "inspect", folder_of_data(), "data.kind=" + GetParam().kind,
                        "samples.index=none", "views.size=16", "--json"},
                       {}),
                  folder_.path());
  ASSERT_EQ(result.code, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_GT(found["split"]["train"], 40);
  EXPECT_GT(found["split"]["test"], 10);
  EXPECT_EQ(found["split"]["how"], "by the column split");
  EXPECT_THAT(found["warnings"].dump(), HasSubstr("were published"));
  EXPECT_THAT(found["train"].get<std::string>(),
              AllOf(HasSubstr("adassl train configs/"), HasSubstr("data.folder=")));
}

TEST_P(NamedDataSet, TrainsIsProbedAndEmbeds) {
  const std::string run = (folder_ / "run").string();
  const Result train =
      run_program(with({"train", config(), "--run", run}, {small_set(), kSmall, GetParam().sizes}));
  ASSERT_EQ(train.code, 0) << train.err;
  const std::string records = bytes_of(folder_ / "run" / "records.jsonl");
  EXPECT_THAT(records, AllOf(HasSubstr("\"objective\""), HasSubstr("representation_")));
  const fs::path some = fs::exists(fs::path(folder_of_data()) / "train" / "images")
                            ? fs::path(folder_of_data()) / "train" / "images"
                            : fs::path(folder_of_data());
  const Result embed = run_program(
      {"embed", run, some.string(), "samples.index=none", "--out", (folder_ / "out.npy").string()});
  EXPECT_EQ(embed.code, 0) << embed.err;
  EXPECT_TRUE(fs::exists(folder_ / "out.npy"));
}

TEST_P(NamedDataSet, IsShown) {
  const Result result =
      run_program(with({"data", "show", config(), "--out", (folder_ / "pairs.png").string()},
                       {small_set(), {"views.size=16"}}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(fs::exists(folder_ / "pairs.png"));
}

INSTANTIATE_TEST_SUITE_P(
    Each, NamedDataSet,
    ::testing::Values(
        Case{"three-d-ident-adassl-v-linear", "three_d_ident", {"evaluate.change.pairs=32"}},
        Case{"three-d-ident-infonce",
             "three_d_ident",
             {"data.pairing=standard", "evaluate.change.pairs=32"}},
        Case{"teapots-adassl-s", "three_d_ident", {"evaluate.change.pairs=32"}},
        Case{"celeba-adassl-v", "celeba", {"data.test_crop=18", "latent.hidden=[16]"}},
        Case{"celeba-byol-gt", "celeba", {"views.kind=strong"}},
        Case{"inat-adassl-v",
             "inat",
             {"encoder.depth=18", "data.test_shorter=18", "data.corruption=0.5"}}),
    [](const auto& test) {
      std::string name = test.param.config;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(NamedDataSets, AreNotTrainedOnFromAFolderAlone) {
  const TemporaryDirectory folder;
  const Result result = run_program({"train", folder.path().string(), "data.kind=celeba"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("expected a configuration for data.kind = celeba, such as one "
                                    "of configs/, got a folder or file"));
}

}  // namespace
}  // namespace adassl::testing
