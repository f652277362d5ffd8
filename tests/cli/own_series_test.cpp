#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "adassl/storage/npy.h"
#include "cli/program.h"
#include "support/temporary_directory.h"

/// A person with a signal of their own: rows of numbers that belong together by time.
namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

TEST(OwnSeries, IsTrainedOnByTime) {
  const TemporaryDirectory folder;
  std::vector<float> values;
  for (int t = 0; t < 400; ++t) {
    for (int channel = 0; channel < 3; ++channel) {
      values.push_back(static_cast<float>(std::sin(0.05 * t * (channel + 1))));
    }
  }
  storage::write_npy(folder.path() / "signal.npy", storage::Dtype::kF32, {400, 3},
                     std::as_bytes(std::span(values)));
  const Result result =
      run_program({"train", folder.path() / "signal.npy", "--run", folder.path() / "run",
                   "pairing.kind=time", "pairing.gap=1-5", "train.steps=5", "train.batch=16",
                   "encoder.hidden=[8]", "latent.hidden=[8]", "compute.threads=1"});
  ASSERT_EQ(result.code, 0) << result.err;
  const fs::path out = folder.path() / "e.safetensors";
  EXPECT_EQ(
      run_program({"embed", folder.path() / "run", folder.path() / "signal.npy", "--out", out})
          .code,
      0);
  EXPECT_GT(fs::file_size(out), 400U * 4);
  for (const char* query : {"17", "row 17"}) {
    const Result found = run_program({"neighbours", folder.path() / "run",
                                      folder.path() / "signal.npy", "--json", "--query", query});
    ASSERT_EQ(found.code, 0) << found.err;
    EXPECT_EQ(json::parse(found.out)["query"], "row 17");
  }
  const auto error = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {more[0], folder.path() / "run"};
    arguments.insert(arguments.end(), more.begin() + 1, more.end());
    return run_program(arguments).err;
  };
  EXPECT_THAT(
      error({"embed", folder.path(), "--out", "e.npy"}),
      HasSubstr("expected an array of numbers, on which the run was trained, got a folder"));
  EXPECT_THAT(error({"probe", folder.path() / "signal.npy", "--column", "x"}),
              HasSubstr("expected a column of the data that can be probed, which has none "
                        "(samples.table=FILE.csv names a table), got 'x'"));
}

}  // namespace
}  // namespace adassl::testing
