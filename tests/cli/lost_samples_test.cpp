#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/photo_runs.h"
#include "cli/program.h"
#include "support/temporary_directory.h"
#include "trust/process.h"

/// A photo that cannot be read in the middle of training, although it was good at the start.
namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using trust::WithFault;

constexpr size_t kFolders = 10, kPhotos = 4;
/// Every photo is read once when it is checked, and some for the first watched numbers. A step
/// reads 16 of them, so that this reading is one of the training, behind its first checkpoint.
constexpr size_t kInTraining = 500;

class LostPhoto : public ::testing::Test {
 protected:
  LostPhoto() {
    random::Sequence draws = random::Stream(3, "photos").at(0);
    for (size_t i = 0; i < kFolders * kPhotos; ++i) {
      const fs::path place = photos() / ("thing " + std::to_string(i / kPhotos));
      fs::create_directories(place);
      write_noise(place / (std::to_string(i % kPhotos) + ".png"), draws);
    }
    const Result whole = run_program(train("whole"));
    EXPECT_EQ(whole.code, 0) << whole.err;
  }

  fs::path photos() const { return folder_ / "photos"; }
  fs::path run(const std::string& name) const { return folder_ / name; }
  std::vector<std::string> train(const std::string& name) const {
    return train_on_photos(
        photos(), run(name),
        {"train.steps=60", "train.workers=0", "evaluate.suites=[]", "evaluate.watch=[]"});
  }
  /// The run with a fault among its photos.
  Result train_with(const trust::Fault& fault) const {
    const WithFault faulty(fault, photos(), folder_ / "counters");
    Result out = run_program(train("run"));
    EXPECT_EQ(trust::read_counters(folder_ / "counters").fired, 1U);
    // Lines behind the last checkpoint are on the disk only if there was time to write them.
    EXPECT_FALSE(fs::is_empty(run("run") / "checkpoints")) << "the fault came too early";
    EXPECT_LT(lines_in(run("run") / "metrics.jsonl"), 60U) << "the fault came too late";
    EXPECT_EQ(out.err.find("adassl: "), out.err.rfind("adassl: ")) << out.err;
    EXPECT_TRUE(out.err.ends_with('\n')) << out.err;
    return out;
  }
  void expect_resumed_to_the_same_bytes() const {
    const Result resumed = run_program({"resume", run("run")});
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    for (const char* name : {"metrics.jsonl", "encoder.safetensors"}) {
      EXPECT_TRUE(bytes_of(run("run") / name) == bytes_of(run("whole") / name)) << name;
    }
  }

  TemporaryDirectory folder_;
};

TEST_F(LostPhoto, OnADiskThatFailsIsTheMachinesFault) {
  const Result result = train_with({"read", kInTraining, "EIO", ""});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("cannot be read: Input/output error"), Not(HasSubstr("once the"))));
  expect_resumed_to_the_same_bytes();
}

TEST_F(LostPhoto, ThatMayNoLongerBeReadEndsTheRunWithHowToGoOn) {
  const Result result = train_with({"open", kInTraining, "EACCES", ""});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("cannot be read: Permission denied; it could be read "
                                          "when the run began. The run is kept"),
                                HasSubstr("adassl resume " + run("run").string())));
  expect_resumed_to_the_same_bytes();
}

}  // namespace
}  // namespace adassl::testing
