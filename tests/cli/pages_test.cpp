#include <algorithm>
#include <fstream>
#include <iomanip>
#include <sstream>

#include <gtest/gtest.h>

#include "adassl/storage/png.h"
#include "cli/program.h"
#include "support/small_mnist.h"
#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

namespace fs = std::filesystem;

using Command = std::vector<std::string>;

/// Split at blanks, but not between quotes, up to a comment.
Command words_of(const std::string& line) {
  Command out;
  std::istringstream words(line);
  for (std::string word; words >> std::quoted(word) && word != "#";) out.push_back(word);
  return out;
}

/// The commands that a page asks its reader to type: lines that begin with the program, indented or
/// in a block.
std::vector<Command> commands_in(const std::string& page) {
  std::vector<Command> out;
  std::istringstream lines(bytes_of(fs::path(ADASSL_SOURCE_DIR) / page));
  bool block = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) block = line == "```sh";
    if (!block && !line.starts_with("    ")) continue;
    Command command = words_of(line);
    if (command.empty() || (command[0] != "adassl" && command[0] != "build/adassl")) continue;
    command.erase(command.begin());
    out.push_back(command);
  }
  return out;
}

const Command kSmallVideo = {
    "evaluate.watch_pairs=16",          "evaluate.probe_samples=32",
    "evaluate.probes.train_samples=32", "evaluate.probes.test_samples=32",
    "evaluate.change.pairs=64",         "evaluate.retrieval.pairs=64",
    "evaluate.retrieval.steps=3",       "evaluate.retrieval.sources=2",
    "evaluate.futures.sources=2",       "evaluate.utilisation.batch=8",
};

const Command kSmallPhotos = {"train.batch=16",        "views.size=8",
                              "encoder.width=8",       "train.probe_every=0",
                              "latent.warmup_steps=0", "optimizer.warmup_steps=0",
                              "compute.threads=1"};

/// A folder of photos, such as a reader may have: several pictures of each thing.
void write_photos(const fs::path& folder) {
  uint8_t shade = 0;
  for (const char* thing : {"chair", "lamp", "table", "vase", "clock", "mug"}) {
    fs::create_directories(folder / thing);
    for (const char* photo : {"front", "dark", "side", "close"}) {
      storage::Image image = storage::make_image(12, 12, 3);
      for (uint8_t& value : image.pixels) value = shade = static_cast<uint8_t>(shade * 5 + 17);
      storage::write_png(folder / thing / (std::string(photo) + ".png"), image);
    }
  }
}

/// The command with sizes so small that it only shows that it works.
Command shortened(Command command) {
  const auto add = [&](const Command& more) {
    command.insert(command.end(), more.begin(), more.end());
  };
  const std::string name = command[0];
  if (name == "data" && command[1] == "mnist") add({"--from", "digits"});
  if (name == "train") add({"train.steps=20"});
  if (name == "train" && command[1].starts_with("configs/video")) add(kSmallVideo);
  if (name == "train" && command[1].starts_with("photos")) add(kSmallPhotos);
  if (name == "bench") {
    const std::string kind = command.size() > 1 ? command[1] : "";
    command = {"bench", "--repeats", "1", "--only", "AdamW step"};
    if (kind == "video") command = {"bench", kind, "--repeats", "1", "--only", "convolution 0"};
    if (kind == "convolution") command = {"bench", kind, "--repeats", "1", "--only", "1->32"};
  }
  if (name == "verify-theory") add({"--help"});  // a test of its own runs all of it
  return command;
}

/// As a TOML list has them.
std::string quoted(const Command& words) {
  std::string out;
  for (const std::string& word : words) out += "\"" + word + "\", ";
  return out;
}

/// The repository's configurations and studies, with sizes that a test can afford.
void make_small_copy(const fs::path& folder) {
  for (const char* name : {"configs", "studies"}) {
    fs::create_directories(folder / name);
    for (const auto& item : fs::directory_iterator(fs::path(ADASSL_SOURCE_DIR) / name)) {
      std::string text = bytes_of(item.path());
      const auto replace = [&](const std::string& from, const std::string& to) {
        const size_t at = text.find(from);
        if (at != std::string::npos) text.replace(at, from.size(), to);
      };
      const auto replace_all = [&](const std::string& from, const std::string& to) {
        for (size_t at = text.find(from); at != std::string::npos;) {
          text.replace(at, from.size(), to);
          at = text.find(from, at + to.size());
        }
      };
      const bool video = item.path().filename().string().starts_with("video");
      replace("[data]", std::string("[compute]\nthreads = 1\n[data]\n") +
                            (video ? "validation = 10" : "mixing_candidates = 10"));
      replace("batch = 2048", "batch = 32");
      replace("batch = 128", "batch = 8");
      replace("train.batch=1024", "train.batch=32");
      replace("quick = {steps = 600", "quick = {steps = 5");
      replace_all("_samples=4000", "_samples=32");
      replace_all("_samples=20000", "_samples=32");
      replace_all("_samples=500", "_samples=32");
      replace_all("pairs=2048", "pairs=64");
      replace_all(
          "retrieval.steps=300",
          R"(retrieval.steps=3", "evaluate.retrieval.sources=2", "evaluate.futures.sources=2)");
      replace("quick = {steps = 12000", "quick = {steps = 20");
      replace("standard = {steps = 12000, seeds = 3", "standard = {steps = 20, seeds = 1");
      replace("standard = {steps = 2000", "standard = {steps = 5");
      replace("name = \"video-a\"\n", "name = \"video-a\"\nset = [" + quoted(kSmallVideo) + "]\n");
      replace("quick = {steps = 3000", "quick = {steps = 20");
      std::ofstream(folder / name / item.path().filename()) << text;
    }
  }
}

/// All commands of a page, one after the other, in a folder that holds what a clone does.
class Page : public ::testing::Test {
 protected:
  Page() {
    make_small_copy(folder_.path());
    write_small_mnist(folder_.path() / "digits", /*train=*/60, /*test=*/40);
    write_photos(folder_.path() / "photos");
  }
  void run(const Command& command) {
    const Result result = run_program(command, folder_.path());
    std::string line;
    for (const std::string& word : command) line += " " + word;
    EXPECT_EQ(result.code, 0) << "adassl" << line << "\n" << result.err;
  }
  void run_all(const std::string& page, size_t at_least) {
    const auto commands = commands_in(page);
    EXPECT_GE(commands.size(), at_least);
    for (const Command& command : commands) run(shortened(command));
  }
  bool has(const std::string& file) const { return fs::exists(folder_.path() / file); }

 private:
  TemporaryDirectory folder_;
};

TEST_F(Page, TutorialWorksInOrder) {
  run_all("docs/TUTORIAL.md", 14);
  EXPECT_TRUE(has("runs/first/report.html"));
  EXPECT_TRUE(has("runs/numerical-complex/quick/records.html"));
  EXPECT_TRUE(has("runs/video-demo/quick/records-scatter.svg"));
  EXPECT_TRUE(has("runs/video-demo/quick/byol/seed-1/imagine.html"));
}

TEST_F(Page, ReadmeWorksInOrderOnceVideoWasMade) {
  run({"data", "mnist", "--out", "data/mnist", "--from", "digits"});
  run({"reproduce", "studies/video-demo.toml", "--rows", "adassl-v"});
  run_all("README.md", 14);
  EXPECT_TRUE(has("runs/numerical-complex-adassl-v/report.html"));
  EXPECT_TRUE(has("runs/numerical-complex/standard/report.html"));
  EXPECT_TRUE(has("runs/video-a-adassl-v/report.html"));
  EXPECT_TRUE(has("runs/video-demo/quick/adassl-v/seed-1/imagine.html"));
  EXPECT_TRUE(has("runs/video-demo/quick/adassl-v/seed-1/retrieve.html"));
}

TEST_F(Page, VideoAndConvolutionsWorkInOrder) {
  run_all("docs/VIDEO.md", 7);
  EXPECT_TRUE(has("clips.png"));
  EXPECT_TRUE(has("runs/video-a/standard/byol/seed-1/imagine.html"));
  EXPECT_TRUE(has("runs/video-a/standard/byol/seed-1/retrieve.html"));
  run_all("docs/CONVOLUTIONS.md", 3);
  EXPECT_TRUE(has("runs/mine/report.html"));
}

TEST(Readme, NamesOnlyFilesThatExist) {
  const std::string readme = bytes_of(fs::path(ADASSL_SOURCE_DIR) / "README.md");
  for (size_t at = readme.find("]("); at != std::string::npos; at = readme.find("](", at + 1)) {
    const std::string target = readme.substr(at + 2, readme.find_first_of("#)", at) - at - 2);
    EXPECT_TRUE(fs::exists(fs::path(ADASSL_SOURCE_DIR) / target)) << target;
  }
}

}  // namespace
}  // namespace adassl::testing
