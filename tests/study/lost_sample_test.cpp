#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/storage/file.h"
#include "adassl/study/run.h"
#include "study/picture_run.h"
#include "support/error_message.h"
#include "support/small_files.h"

/// Files that vanish while a model is trained on them.
namespace adassl::study {
namespace {

namespace fs = std::filesystem;
using testing::AfterStep;
using ::testing::AllOf;
using testing::error_of;
using ::testing::HasSubstr;

class LostFolder : public ::testing::Test {
 protected:
  LostFolder() { testing::put_pictures(pictures_, 5, 8); }
  Config config() const {
    return testing::picture_run(pictures_, {"samples.tolerate=0.5", "train.workers=2"});
  }
  /// A run that loses a folder after its third step; returns the message with which it ends.
  std::string lose() const {
    Conduct losing{.quiet = true};
    losing.observers = {std::make_shared<AfterStep>(3, [&] {
      fs::rename(pictures_ / "f2", folder_ / "lost");
      return training::Flow::kContinue;
    })};
    return error_of([&] { start_run(config(), run_, losing); });
  }
  std::string bytes(const char* run, const char* file) const {
    return testing::contents(folder_ / run / file);
  }

  testing::TemporaryDirectory folder_;
  fs::path pictures_ = folder_ / "pictures";
  fs::path run_ = folder_ / "run";
};

TEST_F(LostFolder, EndsTheRunWithALineThatSaysHowToGoOn) {
  const std::string line = lose();
  EXPECT_THAT(line, AllOf(HasSubstr("pictures/f2/"), HasSubstr("] no such file; it could be read"),
                          HasSubstr("continue with: adassl resume " + run_.string())));
  EXPECT_THAT(bytes("run", "log.txt"), HasSubstr(line));
}

TEST_F(LostFolder, ThatIsFoundAgainLeavesTheBytesOfTheRunAsTheyWere) {
  start_run(config(), folder_ / "whole", {.quiet = true});
  lose();
  fs::rename(folder_ / "lost", pictures_ / "f2");
  EXPECT_EQ(resume_run(run_, {.quiet = true}).step, 12);
  EXPECT_EQ(bytes("run", "metrics.jsonl"), bytes("whole", "metrics.jsonl"));
  EXPECT_EQ(bytes("run", "encoder.safetensors"), bytes("whole", "encoder.safetensors"));
}

TEST_F(LostFolder, CanBeLeftOutFromTheNewestCheckpointOn) {
  lose();
  fs::create_directories(pictures_ / "f2");
  std::ofstream list(run_ / "quarantine.jsonl", std::ios::app);
  for (int i = 0; i < 8; ++i) {
    const std::string name = "f2/" + std::to_string(i) + ".png";
    testing::put(pictures_ / name, "");
    list << "{\"path\": \"" << name << "\", \"reason\": \"lost\"}\n";
  }
  list.close();
  EXPECT_EQ(resume_run(run_, {.quiet = true}).step, 12);
}

}  // namespace
}  // namespace adassl::study
