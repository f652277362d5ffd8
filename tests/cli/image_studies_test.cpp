#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "support/small_sets.h"
#include "support/temporary_directory.h"

/// Every study of images, with all of its rows and its own configurations, on drawn sets of the
/// same layout.
namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Words = std::vector<std::string>;

struct Case {
  std::string study;
  std::string set;   // whose layout it has: the beginning of its configurations' names
  Words more;        // further overrides of all rows
  size_t rows;       // of the study
  size_t untrained;  // rows that are also evaluated before training
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.study; }

/// A copy of the study with one more budget: two steps of narrow networks on small pictures.
fs::path tiny_study(const Case& test, const fs::path& folder) {
  Words set = {"train.batch=8",
               "train.probe_every=2",
               "views.size=16",
               "encoder.width=8",
               "evaluate.watch_pairs=16",
               "evaluate.probe_samples=32",
               "evaluate.shown_samples=0",
               "evaluate.probes.train_samples=60",
               "evaluate.probes.test_samples=32",
               "compute.threads=1"};
  for (const Words& words : {small_set_for(test.set), test.more}) {
    set.insert(set.end(), words.begin(), words.end());
  }
  const fs::path root(ADASSL_SOURCE_DIR);
  std::string text = contents(root / "studies" / (test.study + ".toml"));
  const auto replace_all = [&](const std::string& what, const std::string& with) {
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
      text.replace(at, what.size(), with);
    }
  };
  replace_all("\"../configs/", "\"" + (root / "configs").string() + "/");
  replace_all("[budgets]\n",
              "[budgets]\ntiny = {steps = 2, horizon = 2, warmups = \"scaled\", seeds = 1, set = " +
                  json(set).dump() + "}\n");
  put(folder / "study.toml", text);
  return folder / "study.toml";
}

class ImageStudy : public ::testing::TestWithParam<Case> {
 protected:
  TemporaryDirectory folder_;
};

TEST_P(ImageStudy, FillsEveryColumnOfEveryRow) {
  const fs::path records = folder_ / "records.jsonl";
  const Result result =
      run_program({"reproduce", tiny_study(GetParam(), folder_.path()).string(), "--budget", "tiny",
                   "--out", (folder_ / "runs").string(), "--records", records.string()});
  ASSERT_EQ(result.code, 0) << result.err;

  std::istringstream lines(contents(records));
  json study;
  std::set<std::string> trained, untrained, watched;
  for (std::string line; std::getline(lines, line);) {
    const json record = json::parse(line);
    const std::string kind = record["kind"];
    if (kind == "study") study = record;
    if (kind == "curve") watched.insert(record["row"]);
    if (kind != "evaluation" && kind != "untrained") continue;
    (kind == "evaluation" ? trained : untrained).insert(record["row"]);
    for (const json& column : study["columns"]) {
      const std::string metric = column["metric"];
      ASSERT_TRUE(record["metrics"].contains(metric)) << record["row"] << " lacks " << metric;
      EXPECT_TRUE(record["metrics"][metric].is_number()) << record["row"] << ", " << metric;
    }
    EXPECT_EQ(record["step"], kind == "evaluation" ? 2 : 0);
  }
  EXPECT_EQ(trained.size(), GetParam().rows);
  EXPECT_EQ(watched, trained);
  EXPECT_EQ(study["rows"].size(), GetParam().rows);
  EXPECT_EQ(untrained.size(), GetParam().untrained);
}

const Words kFactors = {"evaluate.change.pairs=32",          "encoder.stem=small",
                        "evaluate.control.queries=8",        "evaluate.control.draws=2",
                        "evaluate.control.train_samples=64", "evaluate.dci.alphas=10",
                        "evaluate.dci.max_iterations=500"};
const Words kFaces = {"data.test_crop=18", "evaluate.utilisation.batch=8"};

INSTANTIATE_TEST_SUITE_P(
    Each, ImageStudy,
    ::testing::Values(
        Case{"three-d-ident", "three-d-ident", kFactors, 14, 2},
        Case{"teapots", "teapots", kFactors, 14, 2}, Case{"celeba-weak", "celeba", kFaces, 14, 2},
        Case{"celeba-strong", "celeba", kFaces, 14, 2},
        Case{"celeba-further-view", "celeba", kFaces, 5, 1},
        Case{"celeba-utilisation", "celeba", kFaces, 6, 2},
        Case{"inat-corruption",
             "inat",
             {"encoder.depth=18", "data.test_shorter=18", "evaluate.utilisation.batch=8"},
             10,
             1},
        Case{"cifar-corruption", "cifar-corruption", {"evaluate.utilisation.batch=8"}, 6, 1}),
    [](const auto& test) {
      std::string name = test.param.study;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

/// What `make teapots` does, in small.
TEST(Teapots, AreRetrievedByOneGroupOfRAtATime) {
  const TemporaryDirectory folder;
  const fs::path study = tiny_study({"teapots", "teapots", kFactors, 1, 0}, folder.path());
  const fs::path runs = folder / "runs";
  const Result trained = run_program({"reproduce", study.string(), "--budget", "tiny", "--rows",
                                      "adassl-v-additive", "--out", runs.string()});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const std::string data = small_set_for("teapots").front();
  const Result imagined =
      run_program({"imagine", (runs / "teapots/tiny/adassl-v-additive/seed-1").string(),
                   "--gallery", data.substr(data.find('=') + 1) + "/test/images", "--groups",
                   "--rows", "3", "--samples", "5", "--out", folder.path().string()});
  ASSERT_EQ(imagined.code, 0) << imagined.err;
  EXPECT_THAT(contents(folder / "imagine-groups.svg"), ::testing::HasSubstr(">all of r<"));
}

TEST(Teapots, AreMadeWhereTheDemonstrationLooksForThem) {
  const fs::path root(ADASSL_SOURCE_DIR);
  const std::string makefile = contents(root / "Makefile");
  EXPECT_THAT(makefile, ::testing::HasSubstr("--out data/teapots-small\n"));
  EXPECT_THAT(makefile, ::testing::HasSubstr("studies/teapots.toml --budget demo --rows"));
  EXPECT_THAT(contents(root / "studies/teapots.toml"),
              ::testing::ContainsRegex("\ndemo = .*samples.folder=data/teapots-small\""));
}

}  // namespace
}  // namespace adassl::testing
