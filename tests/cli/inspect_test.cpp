#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "adassl/storage/npy.h"
#include "adassl/storage/png.h"
#include "cli/program.h"
#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

/// Two groups of pictures that are alike within a group; one is damaged and two are equal.
void put_groups(const fs::path& root) {
  for (int group = 0; group < 4; ++group) {
    for (int i = 0; i < 10; ++i) {
      storage::Image image = storage::make_image(20, 16, 3);
      for (uint8_t& pixel : image.pixels) pixel = static_cast<uint8_t>(60 * group + i);
      const fs::path folder = root / ("group " + std::to_string(group));
      fs::create_directories(folder);
      put(folder / (std::to_string(i) + ".png"), storage::encode_png(image));
    }
  }
  put(root / "group 0" / "3.png", "no image");
  put(root / "group 1" / "4.png", contents(root / "group 1" / "5.png"));
}

class Inspect : public ::testing::Test {
 protected:
  Inspect() { put_groups(root_); }
  Result inspect(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"data", "inspect", root_.string(), "samples.index=none"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  TemporaryDirectory folder_;
  fs::path root_ = folder_ / "my pictures";
};

TEST_F(Inspect, SaysWhatIsThere) {
  const Result outcome = inspect({"--json", "--out", (folder_ / "look").string()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto found = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(found["samples"], 40);
  EXPECT_EQ(found["usable"], 39);
  EXPECT_EQ(found["unusable"][0]["path"], "group 0/3.png");
  EXPECT_EQ(found["width"]["most"], 20);
  EXPECT_EQ(found["duplicates"], 1);
  EXPECT_EQ(found["equal_sets"][0][1], "group 1/5.png");
  EXPECT_EQ(found["groups"], 4) << "so few that single samples are held out";
  EXPECT_EQ(found["split"]["train"], 31);
  for (const char* part : {"least", "median", "most"}) {
    const int64_t size = found["group_sizes"][part];
    EXPECT_EQ(found["group_pairs"][part], size * (size - 1) / 2) << part;
  }
  EXPECT_EQ(found["columns"][0]["name"], "folder");
  ASSERT_EQ(found["changes"]["columns"].size(), 1);
  EXPECT_EQ(found["changes"]["columns"][0]["name"], "folder");
  EXPECT_EQ(found["changes"]["columns"][0]["pairs"], 0) << "pairs are of one folder";
  EXPECT_GT(found["changes"]["columns"][0]["random"], 0.5);
  EXPECT_EQ(found["changes"]["counts"], nlohmann::json::array({found["changes"]["pairs"], 0}));
  EXPECT_LT(found["similarity"]["pair_distance"], found["similarity"]["random_distance"]);
  EXPECT_GT(found["false_negatives"], 0.2);
  EXPECT_LT(found["false_negatives"], 0.25);
  EXPECT_TRUE(fs::exists(folder_ / "look" / "pairs.png"));
  EXPECT_EQ(found["train"], "adassl train '" + root_.string() +
                                "' samples.index=none pairing.kind=group samples.tolerate=0.03");
}

TEST_F(Inspect, ReplacesNoPictureOfTheUser) {
  const fs::path sheet = root_ / "pairs.png";
  put(sheet, contents(root_ / "group 1" / "0.png"));
  const std::string before = contents(sheet);
  const Result outcome = inspect({"--out", root_.string()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("pairs.png] expected to write a picture of pairs"));
  EXPECT_EQ(contents(sheet), before);
  EXPECT_FALSE(fs::exists(root_ / "inspect.html"));
}

TEST_F(Inspect, TellsWhichPicturesAreInFormatsThatAreNotRead) {
  EXPECT_THAT(inspect({}).out, Not(HasSubstr("formats that are not read")));
  put(root_ / "group 0" / "a.HEIC", "x");
  put(root_ / "group 2" / "b.heic", "x");
  put(root_ / "group 2" / "c.tif", "x");
  put(root_ / "labels.csv", "path,u\n");
  EXPECT_THAT(inspect({}).out,
              HasSubstr("warning     3 pictures are left out, in formats that are not read: .heic "
                        "(2), .tif (1); convert them to PNG or JPEG to use them\n"));
  fs::create_directories(folder_ / "phone");
  put(folder_ / "phone" / "a.heic", "x");
  const Result none = run_program({"data", "inspect", folder_ / "phone"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("got none; 1 picture is left out, in formats that are not read"));
}

TEST_F(Inspect, ShowsPairsAndTheirNamesInAPage) {
  const fs::path look = folder_ / "look";
  const Result outcome = inspect({"--out", look.string()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("page        " + (look / "inspect.html").string() + "\n"));
  const std::string page = contents(look / "inspect.html");
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">samples</th><td>40 (39 usable), seen as"));
  size_t figures = 0;
  for (size_t at = page.find("<figure>"); at != page.npos; at = page.find("<figure>", at + 1)) {
    ++figures;
    // The two samples of a pair are of one folder: x, then x+ and x++.
    const size_t caption = page.find("<figcaption>", at) + 12;
    const std::string folder = page.substr(caption, page.find('/', caption) - caption);
    EXPECT_THAT(folder, ::testing::StartsWith("group "));
    static std::string of_x;
    if (page.substr(page.find("<small>", at) + 7, 2) == "x<") of_x = folder;
    EXPECT_EQ(folder, of_x);
  }
  EXPECT_EQ(figures, 24U) << "eight pairs";
}

TEST_F(Inspect, StandardisesNumbersAsTrainingDoes) {
  std::vector<float> values;  // the second column would hide the first
  for (int i = 0; i < 400; ++i) {
    values.push_back(static_cast<float>(i % 7));
    values.push_back(1e6F + 1000 * static_cast<float>(i % 11));
  }
  storage::write_npy(folder_ / "a.npy", storage::Dtype::kF32, {400, 2},
                     std::as_bytes(std::span(values)));
  const auto distance = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "data",   "inspect",           (folder_ / "a.npy").string(),
        "--json", "pairing.kind=time", "pairing.gap=1-5"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result outcome = run_program(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto found = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(found["standardised"].get<bool>(), more.empty());
    return found["similarity"]["random_distance"].get<double>();
  };
  EXPECT_NEAR(distance({}), 1.4, 0.2);  // of two numbers of deviation 1
  EXPECT_GT(distance({"samples.mean=[0]"}), 1000) << "the user says how";
}

TEST_F(Inspect, SeesPairsAsTheyWillBeTrainedOn) {
  const auto look = [](const fs::path& path, const std::string& more = "samples.index=none") {
    const Result outcome = run_program({"data", "inspect", path.string(), "--json", more});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto found = nlohmann::json::parse(outcome.out);
    const std::string kinds =
        found["pairing"].get<std::string>() + ", " + found["views"].get<std::string>();
    EXPECT_THAT(found["train"].get<std::string>(),
                HasSubstr("pairing.kind=" + found["pairing"].get<std::string>()));
    return kinds;
  };
  EXPECT_EQ(look(root_), "group, weak");
  EXPECT_EQ(look(root_, "pairing.kind=self"), "self, strong");
  EXPECT_EQ(look(root_, "views.kind=plain"), "group, plain");
  const fs::path nested = folder_ / "nested";
  fs::create_directories(nested);
  fs::rename(root_, nested / "all");
  EXPECT_EQ(look(nested), "group, weak") << "folders below a single one";
  fs::create_directories(nested / "all" / "group 1" / ".a");
  fs::create_directories(nested / "all" / "group 1" / ".b");
  EXPECT_EQ(look(nested / "all" / "group 1"), "self, strong") << "hidden folders";
  std::string list;
  for (int i = 0; i < 8; ++i)
    list += "group " + std::to_string(1 + i / 4) + "/" + std::to_string(i) + ".png\n";
  put(nested / "all" / "list.txt", list);
  EXPECT_EQ(look(nested / "all" / "list.txt"), "group, weak");
  const std::vector<float> ones(200, 1.0F);
  storage::write_npy(folder_ / "a.npy", storage::Dtype::kF32, {100, 2},
                     std::as_bytes(std::span(ones)));
  EXPECT_EQ(look(folder_ / "a.npy", "seed=1"), "self, operations");
}

TEST_F(Inspect, PrintsTheSameForPeople) {
  const Result outcome = inspect({"pairing.kind=group", "pairing.by=folder"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("samples     40 (39 usable), seen as [3, 64, 64]\n"));
  EXPECT_THAT(outcome.out, HasSubstr(" in an epoch, different ones in a group: "));
  EXPECT_THAT(outcome.out, HasSubstr("unusable    group 0/3.png: "));
  EXPECT_THAT(outcome.out, HasSubstr("warning     1 of 40 samples are unusable; training needs "
                                     "samples.tolerate=0.03"));
  EXPECT_THAT(outcome.out, HasSubstr("negatives belong to its own group"));
}

TEST_F(Inspect, WarnsOfPairsThatAreNoCloserThanRandomSamples) {
  const Result outcome = inspect({"pairing.kind=group", "pairing.by=/([0-9])"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("no closer to each other than random ones"));
}

TEST_F(Inspect, AnswersMistakesWithOneLine) {
  EXPECT_EQ(inspect({"pairing.by=identity"}).code, 2);
  EXPECT_THAT(inspect({"pairing.by=identity"}).err, HasSubstr("one of folder, got 'identity'"));
  EXPECT_THAT(inspect({"pairing.knd=group"}).err, HasSubstr("did you mean 'pairing.kind'?"));
  EXPECT_THAT(run_program({"data", "inspect", "/nowhere"}).err,
              HasSubstr("no such file or folder"));
}

TEST_F(Inspect, ReadsNumbersToo) {
  std::vector<float> values;
  for (int i = 0; i < 400; ++i) values.push_back(static_cast<float>(i % 37));
  storage::write_npy(folder_ / "a.npy", storage::Dtype::kF32, {200, 2},
                     std::as_bytes(std::span(values)));
  const Result outcome = run_program({"data", "inspect", (folder_ / "a.npy").string(),
                                      "pairing.kind=time", "pairing.gap=1-5", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto found = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(found["observation"], nlohmann::json::array({2}));
  EXPECT_EQ(found["split"]["how"], "by blocks of time in 1 sequence");
  const Result asked = run_program(
      {"data", "inspect", (folder_ / "a.npy").string(), "--out", (folder_ / "look").string()});
  EXPECT_EQ(asked.code, 0);
  EXPECT_EQ(asked.err, "");
  EXPECT_FALSE(fs::exists(folder_ / "look" / "pairs.png"));
  EXPECT_THAT(contents(folder_ / "look" / "inspect.html"), HasSubstr("<polyline"));
}

TEST_F(Inspect, TellsTheSizesOfUsablePicturesOnly) {
  const std::string wide = storage::encode_png(storage::make_image(300, 16, 3));
  put(root_ / "group 0" / "3.png", wide.substr(0, wide.size() - 30));  // its header is sound
  const Result outcome = inspect({"--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto found = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(found["unusable"][0]["path"], "group 0/3.png");
  EXPECT_EQ(found["width"]["most"], 20);
}

}  // namespace
}  // namespace adassl::testing
