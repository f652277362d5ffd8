#include "adassl/study/sample_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/study/restore.h"
#include "adassl/study/run.h"
#include "adassl/training/checkpoint.h"
#include "study/picture_run.h"
#include "support/error_message.h"
#include "support/small_files.h"

/// Samples that appear or vanish while a run is stopped.
namespace adassl::study {
namespace {

namespace fs = std::filesystem;
using testing::AfterStep;
using testing::error_of;
using ::testing::HasSubstr;
using testing::picture_run;
using testing::put_picture;
using testing::put_pictures;

/// A run on five folders of eight pictures that was stopped after four of twelve steps.
class StoppedRun : public ::testing::Test {
 protected:
  StoppedRun() {
    put_pictures(pictures_, 5, 8);
    Conduct stopping{.quiet = true};
    stopping.observers = {std::make_shared<AfterStep>(4, [] { return training::Flow::kStop; })};
    start_run(picture_run(pictures_), run_, stopping);
  }
  std::string refusal() const {
    return error_of([&] { resume_run(run_, {.quiet = true}); });
  }

  testing::TemporaryDirectory folder_;
  fs::path pictures_ = folder_ / "pictures";
  fs::path run_ = folder_ / "run";
};

TEST_F(StoppedRun, IsNotResumedWithoutOneOfItsSamples) {
  const std::string bytes = testing::contents(pictures_ / "f2" / "4.png");
  fs::remove(pictures_ / "f2" / "4.png");
  EXPECT_THAT(refusal(), HasSubstr("expected the 40 samples with which the run began, got 39; up "
                                   "to 'f2/"));
  EXPECT_THAT(refusal(), HasSubstr("restore them and resume again, or start a new run"));
  testing::put(pictures_ / "f2" / "4.png", bytes);
  EXPECT_EQ(resume_run(run_, {.quiet = true}).step, 12);
}

TEST_F(StoppedRun, IsNotResumedWithAnotherSample) {
  put_picture(pictures_ / "f5" / "0.png", 99);
  EXPECT_THAT(refusal(), HasSubstr("with which the run began, got 41; 'f5/0.png' is new"));
  fs::remove(pictures_ / "f5" / "0.png");
  fs::rename(pictures_ / "f4" / "7.png", pictures_ / "f4" / "8.png");
  EXPECT_THAT(refusal(), HasSubstr("with which the run began, got 40 others; up to 'f4/"));
}

TEST_F(StoppedRun, MayBeAskedAboutOtherSamples) {  // with a warning on stderr
  fs::remove(pictures_ / "f2" / "4.png");
  const auto run = storage::RunDirectory::open(run_, storage::RunDirectory::Lock::kNo);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(load_run(run).step, 4);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("got 39"));
}

TEST_F(StoppedRun, RemembersItsSamplesWithItsCheckpoint) {
  const auto content =
      nlohmann::json::parse(training::data_of_newest_checkpoint(run_ / "checkpoints"));
  EXPECT_EQ(content["samples"]["count"], 40);
  EXPECT_EQ(content["samples"]["sums"].size(), 32U);
}

/// Samples in five folders of `each` pictures.
class SampleList : public ::testing::Test {
 protected:
  std::shared_ptr<data::Files> open() const {
    return testing::files_source("[samples]\nkind = 'images'\nindex = 'none'\npath = '" +
                                 folder_.path().string() + "'\n[views]\nkind = 'weak'\nsize = 8\n");
  }

  testing::TemporaryDirectory folder_;
};

TEST_F(SampleList, SaysUpToWhereItIsTheSame) {
  put_pictures(folder_.path(), 5, 4);  // fewer than there may be checksums
  const auto before = list_of_samples(*open());
  EXPECT_EQ(change_of_samples(before, *open()), "");
  fs::remove(folder_ / "f1" / "2.png");
  EXPECT_EQ(change_of_samples(before, *open()),
            "expected the 20 samples with which the run began, got 19; up to 'f1/1.png' they are "
            "the same");
  fs::remove(folder_ / "f0" / "0.png");
  EXPECT_EQ(change_of_samples(before, *open()),
            "expected the 20 samples with which the run began, got 18");
}

TEST_F(SampleList, SaysWhenTheSamplesAreDividedOtherwise) {
  put_pictures(folder_.path(), 5, 4);
  const auto divided = [&](const std::string& options) {
    return testing::files_source("[samples]\nkind = 'images'\nindex = 'none'\npath = '" +
                                 folder_.path().string() +
                                 "'\n[views]\nkind = 'weak'\nsize = 8\n[pairing]\nkind = 'group'\n"
                                 "[data]\n" +
                                 options);
  };
  const auto source = divided("split_by = 'group'\n");
  const auto before = list_of_samples(*source);
  EXPECT_EQ(change_of_samples(before, *source), "");
  EXPECT_EQ(change_of_samples(before, *divided("split_by = 'sample'\n")),
            "expected the samples to be divided into training, validation and test as when the run "
            "began (by group, 5 of them), got another division (by sample): a table or this "
            "program's rule for data.split_by changed");
  EXPECT_THAT(change_of_samples(before, *divided("split_by = 'group'\nsplit_seed = 2\n")),
              HasSubstr("got another division"));
  EXPECT_EQ(doubt_since(data_text(*source), *source), "");
  auto older = nlohmann::json::parse(data_text(*source));
  older["samples"].erase("split");
  EXPECT_EQ(change_since(older.dump(), *source), "");
  EXPECT_THAT(doubt_since(older.dump(), *source),
              HasSubstr("did not note how it divided the samples into training, validation and "
                        "test; now they are divided by group, 5 of them"));
}

TEST_F(SampleList, IsDividedInTheSameWayWithoutAFileThatIsLost) {
  put_pictures(folder_.path(), 5, 4);
  const auto source = open();
  const auto before = list_of_samples(*source);
  source->leave_out({{"f1/2.png", "lost"}});
  EXPECT_EQ(change_of_samples(before, *source), "");
}

TEST_F(SampleList, WarnsOfABatchWithMorePairsThanThereAre) {
  put_pictures(folder_.path(), 5, 8);
  const auto source = open();
  const int64_t pairs = source->pair_count().value();
  ASSERT_GT(pairs, 1);
  const size_t others = remarks_on(*source, pairs).size();
  const auto remarks = remarks_on(*source, pairs + 1);
  ASSERT_EQ(remarks.size(), others + 1);
  EXPECT_THAT(remarks.back(),
              HasSubstr("has more pairs than the " + std::to_string(pairs) + " that there are"));
}

TEST_F(SampleList, OfRowsIsTheirNumber) {
  testing::put_rows(folder_ / "a.npy", 50, 2);
  testing::put_rows(folder_ / "b.npy", 51, 2);
  const auto rows = [&](const char* name) {
    return testing::files_source("[samples]\npath = '" + (folder_ / name).string() + "'\n");
  };
  const auto before = list_of_samples(*rows("a.npy"));
  EXPECT_EQ(change_of_samples(before, *rows("a.npy")), "");
  EXPECT_EQ(change_of_samples(before, *rows("b.npy")),
            "expected the 50 samples with which the run began, got 51; 'row 50' is new");
}

TEST_F(SampleList, ThatAnOlderVersionDidNotWriteSaysNothing) {
  put_pictures(folder_.path(), 2, 4);
  const auto source = open();
  for (const char* text : {"", "{\"observation\":[3,8,8],\"change\":0,\"element\":\"uint8\"}",
                           "{\"samples\":3}", "{\"samples\":{\"count\":\"8\",\"sums\":[]}}"}) {
    EXPECT_EQ(change_since(text, *source), "") << text;
  }
}

}  // namespace
}  // namespace adassl::study
