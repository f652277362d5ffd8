#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

TEST(Train, AShapeThatKernelsDoNotCoverByTheReferenceAndSaysSoInTheLog) {
  const TemporaryDirectory folder;
  const auto run = folder.path() / "run";
  const Result result = run_program(small_train(
      run, {"encoder.hidden=[2000]", "train.steps=3", "train.probe_every=0", "compute.threads=2"}));
  EXPECT_EQ(result.code, 0) << result.err;
  const std::string log = bytes_of(run / "log.txt");
  EXPECT_THAT(log, ::testing::HasSubstr("with a layer of 10 x 2000 takes the reference path"));
  EXPECT_THAT(log, ::testing::HasSubstr("finished"));
}

TEST(Train, SaysNothingOfTheReferenceWhereKernelsCoverAll) {
  const TemporaryDirectory folder;
  const auto run = folder.path() / "run";
  EXPECT_EQ(run_program(small_train(run, {"train.steps=3"})).code, 0);
  EXPECT_THAT(bytes_of(run / "log.txt"), ::testing::Not(::testing::HasSubstr("reference path")));
}

}  // namespace
}  // namespace adassl::testing
