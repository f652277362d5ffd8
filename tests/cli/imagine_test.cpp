#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "cli/small_video.h"
#include "support/small_mnist.h"
#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(Imagine, DrawsWhatTwoTrainedModelsExpectSideBySide) {
  const TemporaryDirectory folder;
  const fs::path digits = folder.path() / "digits";
  write_small_mnist(digits, /*train=*/60, /*test=*/40);
  const fs::path byol = folder.path() / "byol";
  const fs::path adassl = folder.path() / "adassl";
  const Result trained = train_small_video("byol", byol, digits);
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Result also = train_small_video("adassl-v", adassl, digits);
  ASSERT_EQ(also.code, 0) << also.err;
  const std::string records = bytes_of(adassl / "records.jsonl");
  for (const char* metric : {"representation_accuracy", "embedding_r2", "mrr", "hit5_pessimistic",
                             "distinct_futures", "r2_change_from_r", "\"kl\""}) {
    EXPECT_THAT(records, HasSubstr(metric));
  }

  const fs::path out = folder.path() / "pictures";
  const Result result =
      run_program({"imagine", byol.string(), adassl.string(), "--clip", "2", "--clips", "3",
                   "--samples", "5", "--futures", "8", "--out", out.string()});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("5 draws, 1.0 different"));  // BYOL predicts a single future
  for (const char* name : {"imagine.png", "imagine-moving.png"}) {
    EXPECT_EQ(bytes_of(out / name).substr(1, 3), "PNG") << name;
  }
  EXPECT_THAT(bytes_of(out / "imagine-moving.png"), HasSubstr("acTL"));  // it is animated
  EXPECT_THAT(bytes_of(out / "imagine.svg"), HasSubstr(">adassl-v</text>"));
  EXPECT_THAT(bytes_of(out / "imagine.html"), HasSubstr("several models"));

  // Two of one method: the second is told apart by its folder.
  const Result twice = run_program({"imagine", byol.string(), byol.string(), "--clips", "1",
                                    "--futures", "4", "--out", out.string()});
  ASSERT_EQ(twice.code, 0) << twice.err;
  EXPECT_THAT(bytes_of(out / "imagine.svg"), HasSubstr("/byol</text>"));
}

TEST(Imagine, SaysInOneLineWhyItCannot) {
  const TemporaryDirectory folder;
  const fs::path run = folder.path() / "numbers";
  ASSERT_EQ(run_program(small_train(run)).code, 0);
  const Result vectors = run_program({"imagine", run.string()});
  EXPECT_EQ(vectors.code, 2);
  EXPECT_THAT(vectors.err, HasSubstr("expected data that provides several futures of one x"));
  const Result nothing = run_program({"imagine", (folder.path() / "nothing").string()});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("nothing"));
}

}  // namespace
}  // namespace adassl::testing
