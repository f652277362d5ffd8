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
  const std::string line = "a network with a layer 2000 wide takes the reference path";
  const size_t first = log.find(line);
  ASSERT_NE(first, std::string::npos) << log;
  EXPECT_EQ(log.find(line, first + 1), std::string::npos) << "said more than once";
  EXPECT_THAT(log, ::testing::HasSubstr("finished"));
  EXPECT_THAT(run_program({"evaluate", run.string()}).err, ::testing::HasSubstr(line));
}

TEST(Evaluate, SaysWhichSuiteHadNoAnswer) {
  const TemporaryDirectory folder;
  const auto run = folder.path() / "run";
  ASSERT_EQ(run_program(small_train(run, {"train.steps=3"})).code, 0);
  const Result result = run_program(  // numerical data has no futures to retrieve
      {"evaluate", run.string(), "evaluate.suites=[\"regression\",\"retrieval\"]"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err,
              ::testing::HasSubstr(
                  "retrieval: skipped, the data does not provide several futures of one x"));
  EXPECT_THAT(result.err, ::testing::Not(::testing::HasSubstr("regression: skipped")));
}

TEST(Train, SaysNothingOfTheReferenceWhereKernelsCoverAll) {
  const TemporaryDirectory folder;
  const auto run = folder.path() / "run";
  EXPECT_EQ(run_program(small_train(run, {"train.steps=3"})).code, 0);
  EXPECT_THAT(bytes_of(run / "log.txt"), ::testing::Not(::testing::HasSubstr("reference path")));
}

TEST(Train, SaysWhyAWishForBfloat16ChangesNothing) {
  const TemporaryDirectory folder;
  const auto log_of = [&](const char* name, const std::vector<std::string>& overrides) {
    std::vector<std::string> all = {"train.steps=2", "compute.precision=bf16"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    EXPECT_EQ(run_program(small_train(folder.path() / name, all)).code, 0);
    return bytes_of(folder.path() / name / "log.txt");
  };
  EXPECT_THAT(log_of("narrow", {}), ::testing::ContainsRegex("bf16 changes nothing|instead of"));
  const std::string wide = log_of("wide", {"encoder.hidden=[512]", "encoder.slope=0"});
  EXPECT_THAT(wide, ::testing::Not(::testing::HasSubstr("changes nothing")));
}

}  // namespace
}  // namespace adassl::testing
