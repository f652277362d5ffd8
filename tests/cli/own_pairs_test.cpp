#include <array>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "adassl/core/random.h"
#include "adassl/storage/npy.h"
#include "adassl/storage/png.h"
#include "cli/program.h"
#include "support/temporary_directory.h"

/// A person with files of their own, from a folder to embeddings.
namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

constexpr int kThings = 12, kPhotos = 4;

/// Photos of things: each thing has a colour and a place of its own, each photo another brightness.
void write_photos(const fs::path& folder) {
  random::Sequence draws = random::Stream(1, "photos").at(0);
  for (int thing = 0; thing < kThings; ++thing) {
    const fs::path place = folder / fmt::format("thing {:02}", thing);
    fs::create_directories(place);
    for (int photo = 0; photo < kPhotos; ++photo) {
      storage::Image image = storage::make_image(24, 20, 3);
      const double light = 0.5 + 0.5 * draws.uniform();
      for (size_t i = 0; i < image.pixels.size(); ++i) {
        const auto x = static_cast<int>(i / 3 % 24);
        const bool inside = x / 2 == thing;
        const double value = inside ? 255 * light : 40.0 * static_cast<double>(i % 3);
        image.pixels[i] = static_cast<uint8_t>(value);
      }
      storage::write_png(place / fmt::format("{}.png", photo), image);
    }
  }
  std::ofstream table(folder / "labels.csv");
  table << "path,half,light\n";
  for (int thing = 0; thing < kThings; ++thing) {
    for (int photo = 0; photo < kPhotos; ++photo) {
      table << fmt::format("thing {:02}/{}.png,{},{}\n", thing, photo,
                           thing < kThings / 2 ? "left" : "right", 0.1 * photo);
    }
  }
}

/// Options that make a run small, besides what the program chooses.
const std::vector<std::string> kSmall = {"train.steps=6",
                                         "train.batch=16",
                                         "views.size=8",
                                         "encoder.kind=mlp",
                                         "encoder.hidden=[16]",
                                         "encoder.out=8",
                                         "latent.hidden=[16]",
                                         "latent.dim=3",
                                         "latent.warmup_steps=0",
                                         "editor.hidden=[16]",
                                         "optimizer.warmup_steps=0",
                                         "train.probe_every=3",
                                         "compute.threads=1"};

class OwnPhotos : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryDirectory;
    write_photos(photos());
    std::vector<std::string> arguments = {"train", photos().string(), "--run", run().string(),
                                          "samples.table=" + (photos() / "labels.csv").string()};
    arguments.insert(arguments.end(), kSmall.begin(), kSmall.end());
    trained_ = new Result(run_program(arguments));
  }
  static void TearDownTestSuite() {
    delete trained_;
    delete folder_;
  }
  void SetUp() override { ASSERT_EQ(trained_->code, 0) << trained_->err << trained_->out; }

  static fs::path photos() { return folder_->path() / "my photos"; }
  static fs::path run() { return folder_->path() / "run"; }

  static TemporaryDirectory* folder_;
  static Result* trained_;
};
TemporaryDirectory* OwnPhotos::folder_ = nullptr;
Result* OwnPhotos::trained_ = nullptr;

TEST_F(OwnPhotos, AreTrainedOnWithoutAConfiguration) {
  EXPECT_THAT(trained_->out, HasSubstr("48 samples"));
  EXPECT_THAT(trained_->out, HasSubstr("pairing.kind"));
  EXPECT_THAT(trained_->out, HasSubstr("samples of one folder belong together"));
  const std::string config = bytes_of(run() / "config.toml");
  EXPECT_THAT(config, HasSubstr("[pairing]\nkind = \"group\""));
  EXPECT_THAT(config, HasSubstr("[samples]\nkind = \"images\""));
  EXPECT_THAT(bytes_of(run() / "report.html"), HasSubstr("</html>"));
}

TEST_F(OwnPhotos, AreWatchedWithoutLabels) {
  const std::string metrics = bytes_of(run() / "metrics.jsonl");
  EXPECT_THAT(metrics, ::testing::StartsWith("{\"step\":0,"));
  EXPECT_THAT(metrics.substr(0, metrics.find('\n')), HasSubstr("\"rankme\":"));
  EXPECT_THAT(bytes_of(run() / "records.jsonl"), HasSubstr("\"kind\":\"health\""));
  const std::string page = bytes_of(run() / "report.html");
  EXPECT_THAT(page, HasSubstr("<h2>Is it learning?</h2>"));
  EXPECT_THAT(page, HasSubstr("pairs of training, since too few are held out"));
  const size_t neighbours = page.find("<table class=\"neighbours\">");
  ASSERT_NE(neighbours, std::string::npos);
  EXPECT_NE(page.find("data:image/png;base64", neighbours), std::string::npos);
  const std::string said = trained_->out + trained_->err;
  EXPECT_TRUE(said.find("It is learning") != std::string::npos ||
              said.find("warning: ") != std::string::npos)
      << said;
}

TEST_F(OwnPhotos, AreEmbeddedInTheOrderOfTheirPaths) {
  const fs::path out = folder_->path() / "e.npy";
  const Result result = run_program({"embed", run(), photos(), "--out", out});
  ASSERT_EQ(result.code, 0) << result.err;
  const storage::NpyArray rows = storage::read_npy(out);
  EXPECT_EQ(rows.shape, (std::vector<int64_t>{kThings * kPhotos, 8}));
  const std::string names = bytes_of(folder_->path() / "e.csv");
  EXPECT_THAT(names, ::testing::StartsWith("row,path\n0,thing 00/0.png\n1,thing 00/1.png\n"));
  EXPECT_EQ(lines_in(folder_->path() / "e.csv"), 1 + kThings * kPhotos);
  const fs::path again = folder_->path() / "e2.npy";
  ASSERT_EQ(run_program({"embed", run(), photos(), "--out", again}).code, 0);
  EXPECT_EQ(bytes_of(out), bytes_of(again));
}

TEST_F(OwnPhotos, AreEmbeddedWithoutReplacingAnotherFile) {
  const auto embed = [&](const char* name) {
    return run_program({"embed", run(), photos(), "--out", folder_->path() / name});
  };
  ASSERT_EQ(embed("text.csv").code, 0);
  const std::string rows = bytes_of(folder_->path() / "text.csv");
  const Result second = embed("text.npy");
  EXPECT_EQ(second.code, 2);
  EXPECT_THAT(second.err, HasSubstr("text.csv, got a file there that is no such list"));
  EXPECT_EQ(bytes_of(folder_->path() / "text.csv"), rows);
  EXPECT_FALSE(fs::exists(folder_->path() / "text.npy"));
  EXPECT_EQ(embed("text.csv").code, 0) << "the same output may be written again";
  ASSERT_EQ(embed("binary.npy").code, 0);
  EXPECT_THAT(embed("binary.csv").err, HasSubstr("is the list of the rows of another output"));
  EXPECT_EQ(embed("binary.npy").code, 0);
}

TEST_F(OwnPhotos, AreNotReplacedByAnythingThatIsWritten) {
  const fs::path notes = folder_->path() / "notes.csv";
  put(notes, "path,note\nthing 00/0.png,old\n");
  const auto expect_refused = [](const std::vector<std::string>& arguments, const fs::path& kept) {
    const std::string before = bytes_of(kept);
    const Result result = run_program(arguments);
    EXPECT_EQ(result.code, 2) << result.out;
    EXPECT_THAT(result.err, HasSubstr("[" + kept.string() + "] expected to write "));
    EXPECT_THAT(result.err, HasSubstr("or remove the file\n"));
    EXPECT_EQ(bytes_of(kept), before);
  };
  expect_refused({"embed", run().string(), photos().string(), "--out", notes.string()}, notes);
  expect_refused({"report", run().string(), "--out", notes.string()}, notes);
  expect_refused({"report", run().string(), "--markdown", "--out", notes.string()}, notes);
  expect_refused({"report", run().string(), "--picture", "--out", notes.string()}, notes);
  const fs::path photo = photos() / "thing 00" / "0.png";
  expect_refused({"data", "inspect", photos().string(), "samples.index=" + photo.string()}, photo);
}

TEST_F(OwnPhotos, CanBeEmbeddedFromAnotherFolder) {
  const fs::path others = folder_->path() / "others";
  fs::create_directories(others);
  fs::copy(photos() / "thing 03", others / "x", fs::copy_options::recursive);
  const fs::path out = folder_->path() / "others.csv";
  ASSERT_EQ(run_program({"embed", run(), others, "--out", out}).code, 0);
  EXPECT_EQ(lines_in(out), 1U + kPhotos);
  EXPECT_EQ(lines_in(folder_->path() / "others.paths.csv"), 1U + kPhotos);
}

TEST_F(OwnPhotos, HaveNeighboursOtherThanThemselves) {
  const Result result = run_program(
      {"neighbours", run(), photos(), "--json", "--count", "3", "--query", "thing 05/2.png"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json line = json::parse(result.out);
  EXPECT_EQ(line["query"], "thing 05/2.png");
  ASSERT_EQ(line["neighbours"].size(), 3U);
  double before = 1.0001;
  for (const json& one : line["neighbours"]) {
    EXPECT_NE(one["path"], "thing 05/2.png");
    EXPECT_LE(one["similarity"].get<double>(), before);
    before = one["similarity"].get<double>();
  }
  const Result page = run_program({"neighbours", run(), photos(), "--rows", "2"});
  ASSERT_EQ(page.code, 0) << page.err;
  EXPECT_THAT(bytes_of(run() / "neighbours.html"), HasSubstr("data:image/png;base64"));
  EXPECT_THAT(bytes_of(run() / "neighbours.html"),
              HasSubstr("the 8 others of 48 samples whose embedding is nearest"));
  const Result other = run_program({"neighbours", run(), photos(), "--rows", "1", "--layer",
                                    "representation", "--out", folder_->path() / "pages"});
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_THAT(bytes_of(folder_->path() / "pages" / "neighbours.html"),
              HasSubstr("whose representation is nearest"));
}

TEST_F(OwnPhotos, MayHaveNamesThatAreNotUtf8) {
  const fs::path others = folder_->path() / "odd names";
  fs::copy(photos() / "thing 03", others);
  fs::rename(others / "0.png", others / "caf\xe9.png");
  for (const std::vector<std::string>& asked :
       {std::vector<std::string>{"neighbours", run(), others, "--json"},
        {"imagine", run(), "--gallery", others, "--json"}}) {
    const Result result = run_program(asked);
    ASSERT_EQ(result.code, 0) << asked[0] << ": " << result.err;
    EXPECT_THAT(result.out, HasSubstr("\"query\":\"caf\ufffd.png\"")) << asked[0];
  }
}

TEST_F(OwnPhotos, AreImaginedFromOneOfThem) {
  const std::vector<std::string> asked = {
      "imagine", run(), "--gallery", photos(), "--query", "thing 05/2.png", "--samples", "7"};
  auto as_json = asked;
  as_json.emplace_back("--json");
  const Result result = run_program(as_json);
  ASSERT_EQ(result.code, 0) << result.err;
  const json line = json::parse(result.out);
  EXPECT_EQ(line["query"], "thing 05/2.png");
  ASSERT_EQ(line["draws"].size(), 7U);
  std::set<std::string> different;
  for (const json& draw : line["draws"]) {
    EXPECT_NE(draw["path"], "thing 05/2.png");
    EXPECT_LE(draw["similarity"].get<double>(), 1.0001);
    different.insert(draw["path"]);
  }
  EXPECT_EQ(line["distinct"], different.size());
  EXPECT_EQ(run_program(as_json).out, result.out);  // the draws depend on the run's seed alone
  ASSERT_EQ(run_program(asked).code, 0);
  EXPECT_THAT(bytes_of(run() / "imagine.html"), HasSubstr("data:image/png;base64"));
  EXPECT_THAT(bytes_of(run() / "imagine.html"), HasSubstr("different of 7"));
}

TEST_F(OwnPhotos, AreRetrievedByPartsOfR) {
  const std::vector<std::string> asked = {"imagine",        run(),       "--gallery",
                                          photos(),         "--groups",  "--query",
                                          "thing 05/2.png", "--samples", "3"};
  auto as_json = asked;
  as_json.emplace_back("--json");
  const Result result = run_program(as_json);
  ASSERT_EQ(result.code, 0) << result.err;
  std::istringstream lines(result.out);
  std::vector<json> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(json::parse(line));
  ASSERT_GE(rows.size(), 4U) << "neighbours, the expected r, a group at least, and all of r";
  for (const json& row : rows) {
    EXPECT_EQ(row["query"], "thing 05/2.png");
    for (const json& found : row["found"]) EXPECT_NE(found["path"], "thing 05/2.png");
  }
  EXPECT_EQ(rows[1]["found"].size(), 1U);
  EXPECT_THAT(rows[2]["sampled"].get<std::string>(), ::testing::StartsWith("r"));
  EXPECT_EQ(rows.back()["sampled"], "all of r");
  EXPECT_EQ(rows.back()["found"].size(), 3U);
  ASSERT_EQ(run_program(asked).code, 0);
  EXPECT_THAT(bytes_of(run() / "imagine-groups.html"), HasSubstr("all of r sampled"));
  EXPECT_THAT(bytes_of(run() / "imagine-groups.svg"), HasSubstr("data:image/png;base64"));
}

TEST_F(OwnPhotos, AreProbedByGroups) {
  const Result result =
      run_program({"probe", run(), photos(), "--column", "half", "--by", "folder", "--folds", "3",
                   "--json", "samples.table=" + (photos() / "labels.csv").string()});
  ASSERT_EQ(result.code, 0) << result.err;
  const json line = json::parse(result.out.substr(0, result.out.find('\n')));
  EXPECT_EQ(line["column"], "half");
  EXPECT_EQ(line["folds"].size(), 3U);
  EXPECT_EQ(line["chance"], 0.5);
}

TEST_F(OwnPhotos, AreExplained) {
  const Result result = run_program({"explain", run(), "thing 01/0.png", "thing 01/3.png", "--json",
                                     "--count", "2", "--pairs", "20"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json line = json::parse(result.out);
  EXPECT_EQ(line["a"], "thing 01/0.png");
  EXPECT_EQ(line["r"].size(), 3U);
  EXPECT_EQ(line["cost"].size(), 3U);
  EXPECT_EQ(line["unit"], "nats");
  ASSERT_EQ(line["alike"].size(), 2U);
  EXPECT_LE(line["alike"][0]["distance"], line["alike"][1]["distance"]);
  ASSERT_EQ(run_program({"explain", run(), "thing 01/0.png", "thing 01/3.png"}).code, 0);
  EXPECT_THAT(bytes_of(run() / "explain.html"), HasSubstr("Pairs whose change is most alike"));
}

TEST_F(OwnPhotos, AreFoundAgainFromAnyFolder) {
  std::vector<std::string> arguments = {"train",
                                        "my photos",
                                        "--run",
                                        "relative",
                                        "samples.table=my photos/labels.csv",
                                        "samples.cache=photos.cache"};
  arguments.insert(arguments.end(), kSmall.begin(), kSmall.end());
  const Result trained = run_program(arguments, folder_->path());
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.out, ::testing::StartsWith("my photos: 48 samples"));
  const Result again = run_program({"resume", folder_->path() / "relative"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("is finished"));
}

TEST_F(OwnPhotos, AreNotLookedAtForARunThatCannotBe) {
  for (const auto& [option, message] : {std::pair{"--run=" + run().string(), "already holds a run"},
                                        {"train.stepps=5", "did you mean 'train.steps'"}}) {
    const Result result = run_program({"train", photos(), option}, folder_->path());
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "") << option;
  }
}

TEST_F(OwnPhotos, GetOneLineForEachMistake) {
  const auto error = [](const std::vector<std::string>& arguments) {
    const Result result = run_program(arguments);
    EXPECT_EQ(result.code, 2) << result.out;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    return result.err;
  };
  EXPECT_THAT(error({"embed", run(), photos(), "--out", "e.txt"}),
              HasSubstr("expected a name that ends with .npy, .csv or .safetensors"));
  EXPECT_THAT(error({"embed", run(), photos() / "nothing", "--out", "e.npy"}),
              HasSubstr("nothing"));
  EXPECT_THAT(error({"neighbours", run(), photos(), "--query", "thing 5"}),
              HasSubstr("[neighbours] expected the name of one of the 48 samples"));
  EXPECT_THAT(error({"imagine", run(), "--gallery", photos(), "--query", "thing 5"}),
              HasSubstr("[imagine] expected the name of one of the 48 samples"));
  EXPECT_THAT(error({"imagine", run()}), HasSubstr("add --gallery DATA"));
  for (const auto& [option, value] : {std::pair{"--rows", "3"}, {"--query", "thing 05/2.png"}}) {
    EXPECT_THAT(error({"imagine", run(), option, value}),
                HasSubstr(fmt::format("expected --gallery DATA with {}", option)));
  }
  EXPECT_THAT(error({"imagine", run(), "--json"}),
              HasSubstr("expected --gallery DATA with --json"));
  for (const char* option : {"--clip", "--clips", "--futures"}) {
    EXPECT_THAT(error({"imagine", run(), "--gallery", photos(), option, "4"}),
                HasSubstr(fmt::format("expected no {} together with --gallery", option)));
  }
  EXPECT_THAT(error({"imagine", run(), run(), "--gallery", photos()}), HasSubstr("one run"));
  EXPECT_THAT(error({"explain", run(), "thing 01/0.png", "nobody"}),
              HasSubstr("[explain] expected the name of one of the 48 samples"));
  EXPECT_THAT(error({"probe", run(), photos(), "--column", "hlaf",
                     "samples.table=" + (photos() / "labels.csv").string()}),
              HasSubstr("did you mean 'half'"));
  EXPECT_THAT(error({"probe", run(), photos(), "--column", "folder", "--by", "folder"}),
              HasSubstr("[probe] --by folder: expected groups that share values of 'folder'"));
  constexpr std::array kRow = {1.0F};
  storage::write_npy(folder_->path() / "rows.npy", storage::Dtype::kF32, {1, 1},
                     std::as_bytes(std::span(kRow)));
  EXPECT_THAT(
      error({"embed", run(), folder_->path() / "rows.npy", "--out", "e.npy"}),
      HasSubstr("expected pictures, on which the run was trained, got an array of numbers"));
  EXPECT_THAT(error({"train", folder_->path() / "nowhere"}), HasSubstr("nowhere"));
}

TEST(OwnPairs, OfARunOnOtherDataAreRefused) {
  const TemporaryDirectory folder;
  ASSERT_EQ(run_program(small_train(folder.path() / "run")).code, 0);
  write_photos(folder.path() / "photos");
  const Result result = run_program(
      {"embed", folder.path() / "run", folder.path() / "photos", "--out", folder.path() / "e.npy"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("expected a run that was trained on files"));
}

}  // namespace
}  // namespace adassl::testing
