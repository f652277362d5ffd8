#include <algorithm>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/small_mnist.h"
#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

namespace fs = std::filesystem;

/// The commands of the ```sh blocks of a page, split at blanks.
std::vector<std::vector<std::string>> commands_in(const fs::path& page) {
  std::vector<std::vector<std::string>> out;
  std::istringstream lines(bytes_of(page));
  bool shell = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      shell = line == "```sh";
    } else if (shell && line.starts_with("adassl ")) {
      std::istringstream words(line.substr(7));
      std::vector<std::string> command;
      for (std::string word; words >> word;) command.push_back(word);
      out.push_back(command);
    }
  }
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
      replace("quick = {steps = 600", "quick = {steps = 5");
      replace_all("_samples=4000", "_samples=32");
      replace_all("_samples=20000", "_samples=32");
      replace_all("_samples=500", "_samples=32");
      replace_all("pairs=2048", "pairs=64");
      replace_all(
          "retrieval.steps=300",
          R"(retrieval.steps=3", "evaluate.retrieval.sources=2", "evaluate.futures.sources=2)");
      replace("quick = {steps = 10000", "quick = {steps = 20");
      replace("quick = {steps = 3000", "quick = {steps = 20");
      std::ofstream(folder / name / item.path().filename()) << text;
    }
  }
}

TEST(Tutorial, EveryCommandWorksInOrder) {
  const TemporaryDirectory folder;
  make_small_copy(folder.path());
  write_small_mnist(folder.path() / "digits", /*train=*/60, /*test=*/40);
  const auto commands = commands_in(fs::path(ADASSL_SOURCE_DIR) / "docs/TUTORIAL.md");
  ASSERT_GE(commands.size(), 8U);
  for (auto command : commands) {
    if (command[0] == "data" && command[1] == "mnist") {  // a few digits instead of all
      command.insert(command.end(), {"--from", "digits"});
    }
    const Result result = run_program(command, folder.path());
    std::string line;
    for (const std::string& word : command) line += " " + word;
    EXPECT_EQ(result.code, 0) << "adassl" << line << "\n" << result.err;
  }
  EXPECT_TRUE(fs::exists(folder.path() / "runs/first/report.html"));
  EXPECT_TRUE(fs::exists(folder.path() / "runs/numerical-complex/quick/records.html"));
  EXPECT_TRUE(fs::exists(folder.path() / "runs/video-demo/quick/records-scatter.svg"));
  EXPECT_TRUE(fs::exists(folder.path() / "runs/video-demo/quick/byol/seed-1/imagine.html"));
}

TEST(Readme, NamesOnlyCommandsAndFilesThatExist) {
  const std::string readme = bytes_of(fs::path(ADASSL_SOURCE_DIR) / "README.md");
  std::istringstream lines(readme);
  int commands = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word != "build/adassl") continue;
    ++commands;
    words >> word;
    EXPECT_EQ(run_program({word, "--help"}).code, 0) << word;
    while (words >> word && word != "#") {
      if (word.starts_with("configs/") || word.starts_with("studies/")) {
        EXPECT_TRUE(fs::exists(fs::path(ADASSL_SOURCE_DIR) / word)) << word;
      }
    }
  }
  EXPECT_GE(commands, 8);
  for (size_t at = readme.find("]("); at != std::string::npos; at = readme.find("](", at + 1)) {
    const std::string target = readme.substr(at + 2, readme.find_first_of("#)", at) - at - 2);
    EXPECT_TRUE(fs::exists(fs::path(ADASSL_SOURCE_DIR) / target)) << target;
  }
}

}  // namespace
}  // namespace adassl::testing
