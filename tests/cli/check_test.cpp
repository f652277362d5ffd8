#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string config(const std::string& name) {
  return std::string(ADASSL_SOURCE_DIR) + "/configs/" + name + ".toml";
}

TEST(Check, PrintsTheResolvedConfigurationWhereTheDataIsAbsent) {
  const TemporaryDirectory folder;
  const Result result = run_program(
      {"check", config("video-a-adassl-v"), "data.folder=/nowhere", "seed=5"}, folder.path());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("method = \"adassl-v\"\nseed = 5\n"));
  EXPECT_THAT(result.out, HasSubstr("folder = \"/nowhere\"\n"));
  EXPECT_THAT(result.out, HasSubstr("watch = [\"auto\"]"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  const Result object = run_program(
      {"check", config("video-a-adassl-v"), "data.folder=/nowhere", "--json"}, folder.path());
  EXPECT_EQ(object.code, 0) << object.err;
  EXPECT_EQ(nlohmann::json::parse(object.out).at("data").at("folder"), "/nowhere");
}

/// `check` prints the configuration that `train` uses, except for values that follow from the data.
TEST(Check, AgreesWithTheRun) {
  const TemporaryDirectory folder;
  std::vector<std::string> command = small_train(folder / "run", {"train.steps=1"});
  ASSERT_EQ(run_program(command).code, 0);
  command.erase(command.begin() + 2, command.begin() + 4);  // --run and its value
  command[0] = "check";
  const Result result = run_program(command);
  EXPECT_EQ(result.code, 0) << result.err;
  std::string trained = bytes_of(folder / "run" / "config.toml");
  const std::string watched = "watch = [\"regression\", \"utilisation\", \"geometry\"]";
  ASSERT_THAT(trained, HasSubstr(watched));
  trained.replace(trained.find(watched), watched.size(), "watch = [\"auto\"]");
  EXPECT_EQ(result.out, trained);
}

TEST(Check, PrintsJsonToo) {
  const Result result = run_program({"check", config("numerical-complex-infonce"), "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  const auto out = nlohmann::json::parse(result.out);
  EXPECT_EQ(out.at("method"), "infonce");
  EXPECT_EQ(out.at("latent").at("kind"), "none");
  EXPECT_TRUE(out.at("evaluate").at("regression").at("train_samples").is_number_integer());
}

TEST(Check, NamesTheMistake) {
  const auto mistake = [](const std::vector<std::string>& more) {
    std::vector<std::string> command = {"check", config("numerical-complex-infonce")};
    command.insert(command.end(), more.begin(), more.end());
    const Result result = run_program(command);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_THAT(mistake({"train.stepz=3"}), HasSubstr("did you mean 'train.steps'?"));
  EXPECT_THAT(mistake({"train.batch=1"}), HasSubstr("train.batch"));
  EXPECT_THAT(mistake({"latent.kind=sparse"}), HasSubstr("use method = \"custom\""));
  const Result study =
      run_program({"check", std::string(ADASSL_SOURCE_DIR) + "/studies/numerical-complex.toml"});
  EXPECT_EQ(study.code, 2);
  EXPECT_THAT(study.err, HasSubstr("is a study"));
}

}  // namespace
}  // namespace adassl::testing
