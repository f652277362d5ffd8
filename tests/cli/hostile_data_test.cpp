#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/huge_png.h"
#include "support/temporary_directory.h"

/// Data of which nothing can be learnt, or that tries to do harm: one line each, and no run.
namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class HostileData : public ::testing::Test {
 protected:
  HostileData() { fs::create_directories(data_); }
  /// What `train` says about data/`name`, in one line.
  std::string refusal(const std::string& name, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"train", (data_ / name).string(), "--run",
                                          (folder_ / "run").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result trained = run_program(arguments);
    EXPECT_EQ(trained.code, 2) << trained.err;
    EXPECT_EQ(std::ranges::count(trained.err, '\n'), 1) << trained.err;
    EXPECT_FALSE(fs::exists(folder_ / "run"));
    arguments = {"data", "inspect", (data_ / name).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result inspected = run_program(arguments);
    EXPECT_EQ(inspected.code, 2) << inspected.out;
    EXPECT_EQ(std::ranges::count(inspected.err, '\n'), 1) << inspected.err;
    return trained.err;
  }

  TemporaryDirectory folder_;
  fs::path data_ = folder_ / "data";
  std::vector<std::string> plain_ = {"samples.index=none"};
};

TEST_F(HostileData, ThatCannotBeDecodedIsRefused) {
  put(data_ / "a.png", "");
  EXPECT_THAT(refusal("", plain_), HasSubstr("'a.png' is empty"));
  put(data_ / "a.png", huge_png());
  EXPECT_THAT(refusal("", plain_), HasSubstr("'a.png' expected at most 134217728 pixels, got "
                                             "40000x40000"));
  fs::remove(data_ / "a.png");
  put(data_ / "a.avi", "");
  EXPECT_THAT(refusal("", plain_), HasSubstr("'a.avi' is empty"));
  put(data_ / "a.avi", "RIFF no video");
  EXPECT_THAT(refusal("a.avi", plain_), HasSubstr("expected a video (AVI, MP4,"));
  put(data_ / "a.npz", zip_of({{"x.npy", "12345"}}, true, ZipLie{.size = 4'000'000'000}));
  EXPECT_THAT(refusal("a.npz"), HasSubstr("compressed bytes can have, got 4000000000"));
}

TEST_F(HostileData, OfTablesIsRefusedByLine) {
  put(data_ / "a.csv", "u,v\n1,2\n3\n");
  EXPECT_THAT(refusal("a.csv"), HasSubstr("a.csv:3] expected 2 fields"));
  put(data_ / "b.csv", "u,who\n1,ann\n2,bob\n");
  EXPECT_THAT(refusal("b.csv", {"pairing.kind=group", "pairing.by=whom"}),
              HasSubstr("one of who, got 'whom'; did you mean 'who'?"));
  EXPECT_THAT(refusal("b.csv", {"pairing.kind=group", "pairing.by=who"}),
              HasSubstr("only one sample, which is in no pair"));
}

TEST_F(HostileData, OutsideOfItsFolderIsRefused) {
  put(folder_ / "secret.png", small_png());
  put(data_ / "list.txt", "../secret.png\n");
  EXPECT_THAT(refusal("list.txt", plain_), HasSubstr("samples.outside=true reads it"));
  put(data_ / "list.txt", "link.png\n");
  fs::create_symlink(folder_ / "secret.png", data_ / "link.png");
  EXPECT_THAT(refusal("list.txt", plain_), HasSubstr("samples.outside=true reads it"));
  EXPECT_THAT(refusal("", plain_), HasSubstr("samples.follow_links=true follows it"));
}

}  // namespace
}  // namespace adassl::testing
