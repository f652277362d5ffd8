#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/storage/json_lines.h"
#include "cli/program.h"
#include "cli/small_video.h"
#include "support/small_mnist.h"
#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

/// The mean reciprocal rank that the run's own evaluation wrote, as the command prints it.
std::string recorded_mrr(const fs::path& run) {
  const auto records = storage::read_json_lines(run / "records.jsonl");
  return fmt::format("MRR {:.4f}", records.back().at("metrics").at("mrr").get<double>());
}

/// A folder with digits, and runs on them.
class Retrieve : public ::testing::Test {
 protected:
  Retrieve() { write_small_mnist(path("digits"), /*train=*/60, /*test=*/40); }
  fs::path path(const std::string& name) const { return folder_.path() / name; }
  std::string train(const std::string& method, const std::string& name,
                    const std::vector<std::string>& overrides = {}) const {
    const Result trained = train_small_video(method, path(name), path("digits"), overrides);
    EXPECT_EQ(trained.code, 0) << trained.err;
    return path(name).string();
  }

 private:
  TemporaryDirectory folder_;
};

TEST_F(Retrieve, ShowsTheNearestClipsOfTwoModelsWithTheRanksOfTheirRecords) {
  const std::string byol = train("byol", "byol");
  const std::string adassl = train("adassl-v", "adassl");
  const fs::path out = path("pictures");
  const Result result = run_program({"retrieve", byol, adassl, "--clip", "1", "--clips", "2",
                                     "--top", "2", "--out", out.string()});
  ASSERT_EQ(result.code, 0) << result.err;
  for (const std::string& run : {byol, adassl}) {
    EXPECT_THAT(result.out, HasSubstr(run + ", step 5: " + recorded_mrr(run) + ", ranks "));
  }
  EXPECT_EQ(bytes_of(out / "retrieve.png").substr(1, 3), "PNG");
  const std::string svg = bytes_of(out / "retrieve.svg");
  for (const char* text :
       {">byol</text>", ">adassl-v</text>", ">rank ", "of 16 clips", "nearest clip 2."}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
  EXPECT_THAT(svg, Not(HasSubstr("nearest clip 3.")));
  EXPECT_THAT(bytes_of(out / "retrieve.html"), HasSubstr("several models"));

  // As many rows as there are sources; the same picture every time.
  const Result all = run_program({"retrieve", byol, "--clips", "64"});
  ASSERT_EQ(all.code, 0) << all.err;
  const std::string line = all.out.substr(0, all.out.find('\n'));
  EXPECT_EQ(std::ranges::count(line.substr(line.find("ranks")), ','), 3) << line;
  const std::string page = bytes_of(path("byol") / "retrieve.html");
  EXPECT_EQ(run_program({"retrieve", byol, "--clips", "64"}).out, all.out);
  EXPECT_EQ(bytes_of(path("byol") / "retrieve.html"), page);

  // Two of one method: the second is told apart by its folder.
  const Result twice = run_program({"retrieve", byol, byol, "--clips", "1", "--out", out.string()});
  ASSERT_EQ(twice.code, 0) << twice.err;
  EXPECT_THAT(bytes_of(out / "retrieve.svg"), HasSubstr("/byol</text>"));
}

TEST_F(Retrieve, SaysInOneLineWhyItCannot) {
  const auto refuses = [](const std::vector<std::string>& arguments, const std::string& reason) {
    const Result result = run_program(arguments);
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, HasSubstr(reason));
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  };
  const fs::path numbers = path("numbers");
  ASSERT_EQ(run_program(small_train(numbers)).code, 0);
  refuses({"retrieve", numbers.string()},
          "cannot be used for retrieval: the data does not provide several futures of one x");
  EXPECT_FALSE(fs::exists(numbers / "retrieve.html"));
  refuses({"retrieve", path("nothing").string()}, "nothing");
  const std::string byol = train("byol", "byol");
  refuses({"retrieve", byol, "--clip", "4"}, "--clip: expected less than the 4");
  refuses({"retrieve", byol, "--top", "0"}, "--top");
  refuses({"retrieve", byol, train("byol", "other", {"seed=2"})},
          "expected a run with the same pool of clips as the first one's");
}

}  // namespace
}  // namespace adassl::testing
