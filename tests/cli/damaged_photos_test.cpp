#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "cli/photo_runs.h"
#include "cli/program.h"
#include "support/temporary_directory.h"

/// A folder of photos of which some are damaged, on several workers, killed and resumed.
namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr int kThings = 10, kPhotos = 4;

/// Ten folders of noise; three files are not what their names promise.
void write_damaged_photos(const fs::path& folder) {
  random::Sequence draws = random::Stream(3, "photos").at(0);
  for (int thing = 0; thing < kThings; ++thing) {
    const fs::path place = folder / fmt::format("thing {}", thing);
    fs::create_directories(place);
    for (int photo = 0; photo < kPhotos; ++photo) {
      write_noise(place / fmt::format("{}.png", photo), draws);
    }
  }
  std::ofstream(folder / "thing 2" / "1.png", std::ios::trunc) << "no picture";
  std::ofstream(folder / "thing 5" / "0.png", std::ios::trunc).flush();
  fs::resize_file(folder / "thing 7" / "3.png", 200);
}

class DamagedPhotos : public ::testing::Test {
 protected:
  DamagedPhotos() { write_damaged_photos(photos()); }
  fs::path photos() const { return folder_.path() / "photos"; }
  fs::path run(const std::string& name) const { return folder_.path() / name; }
  std::vector<std::string> train(const std::string& name, int workers) const {
    return train_on_photos(photos(), run(name),
                           {"samples.tolerate=0.1", fmt::format("train.workers={}", workers)});
  }
  std::string metrics_of(const std::string& name) const {
    return bytes_of(run(name) / "metrics.jsonl");
  }
  TemporaryDirectory folder_;
};

TEST_F(DamagedPhotos, AreNamedAndLeaveTheBytesOfARunToItsSeed) {
  const Result whole = run_program(train("whole", 2));
  ASSERT_EQ(whole.code, 0) << whole.err;
  const std::string list = bytes_of(run("whole") / "quarantine.jsonl");
  EXPECT_EQ(lines_in(run("whole") / "quarantine.jsonl"), 3U);
  for (const char* name : {"thing 2/1.png", "thing 5/0.png", "thing 7/3.png"}) {
    EXPECT_THAT(list, HasSubstr(name));
  }
  for (const int workers : {0, 1, 5}) {
    const std::string name = fmt::format("workers {}", workers);
    ASSERT_EQ(run_program(train(name, workers)).code, 0);
    EXPECT_TRUE(metrics_of(name) == metrics_of("whole")) << workers << " workers";
  }

  // Killed four times; before the last resumption a damaged file is repaired.
  pid_t process = start_program(train("killed", 2));
  for (size_t kills = 1; kills <= 4; ++kills) {
    wait_for_lines(run("killed") / "metrics.jsonl", 50 * kills, process);
    ::kill(process, SIGKILL);
    ASSERT_EQ(wait_for(process), 128 + SIGKILL) << "kill " << kills << " came too late";
    if (kills == 4)
      fs::copy_file(photos() / "thing 5" / "1.png", photos() / "thing 5" / "0.png",
                    fs::copy_options::overwrite_existing);
    process = start_program({"resume", run("killed")});
  }
  ASSERT_EQ(wait_for(process), 0);
  EXPECT_EQ(lines_in(run("killed") / "metrics.jsonl"),
            kPhotoSteps + 1);  // and the untrained model's
  EXPECT_TRUE(metrics_of("killed") == metrics_of("whole"));
  EXPECT_TRUE(bytes_of(run("killed") / "encoder.safetensors") ==
              bytes_of(run("whole") / "encoder.safetensors"));
}

TEST_F(DamagedPhotos, AreAnsweredWithTheirReasonWhenTheyAreAskedAbout) {
  auto arguments = train("short", 1);
  arguments.emplace_back("train.steps=3");
  const Result trained = run_program(arguments);
  ASSERT_EQ(trained.code, 0) << trained.err;
  const auto error = [](const std::vector<std::string>& asked) {
    const Result result = run_program(asked);
    EXPECT_EQ(result.code, 2) << result.out;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    return result.err;
  };
  EXPECT_THAT(error({"explain", run("short"), "thing 5/0.png", "thing 5/1.png"}),
              HasSubstr("[explain] expected a usable sample, got 'thing 5/0.png': is empty"));
  EXPECT_THAT(error({"neighbours", run("short"), photos(), "--query", "thing 5/0.png"}),
              HasSubstr("[neighbours] expected a usable sample, got 'thing 5/0.png': is empty"));
}

TEST_F(DamagedPhotos, AreNotCountedAsPairs) {
  const Result inspected = run_program({"data", "inspect", photos(), "--json"});
  ASSERT_EQ(inspected.code, 0) << inspected.err;
  const auto found = nlohmann::json::parse(inspected.out);
  auto arguments = train("short", 1);
  arguments.emplace_back("train.steps=3");
  const Result trained = run_program(arguments);
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.out,
              HasSubstr(fmt::format(
                  "40 samples, split into {} train, {} validation, {} test ({})\n{} "
                  "pairs in an epoch;",
                  found["split"]["train"].get<int>(), found["split"]["validation"].get<int>(),
                  found["split"]["test"].get<int>(), found["split"]["how"].get<std::string>(),
                  found["pairs"].get<int>())));
  EXPECT_THAT(trained.err, HasSubstr("warning: of the 10 groups, 8 are for training"));
}

TEST_F(DamagedPhotos, AreTooManyBeyondWhatIsTolerated) {
  auto arguments = train("strict", 1);
  arguments.emplace_back("samples.tolerate=0.05");
  const Result result = run_program(arguments);
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr("thing 2/1.png"));
}

}  // namespace
}  // namespace adassl::testing
