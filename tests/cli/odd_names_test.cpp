#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "adassl/storage/csv.h"
#include "adassl/storage/json_lines.h"
#include "cli/photo_runs.h"
#include "cli/program.h"
#include "support/temporary_directory.h"

/// Files with names that are hard to write down, from training to embeddings.
namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// In the order in which samples are numbered. The last one is not UTF-8.
const std::vector<std::string> kNames = {
    "  spaces  .png", "\"quoted\", 'twice'.png", "\\xe9.png",
    "new\nline.png",  "\u00fc\U0001F600.png",    "caf\xe9\xff.png"};
constexpr int kFolders = 4;

class OddNames : public ::testing::Test {
 protected:
  OddNames() {
    random::Sequence draws = random::Stream(5, "odd names").at(0);
    for (int i = 0; i < kFolders; ++i) {
      for (const std::string& name : kNames) {
        const std::string path = folder_of(i) + "/" + name;
        fs::create_directories(photos() / folder_of(i));
        write_noise(photos() / path, draws);
        all_.push_back(path);
      }
    }
    std::ranges::sort(all_);
    // Every odd name is that of a damaged file once, in folders that keep two good ones.
    for (size_t i = 0; i < kNames.size(); ++i) {
      damaged_.push_back(folder_of(static_cast<int>(i % kFolders)) + "/" + kNames[i]);
      std::ofstream(photos() / damaged_.back(), std::ios::trunc) << "no picture";
    }
    std::ranges::sort(damaged_);
  }
  static std::string folder_of(int i) { return fmt::format("a \xe9\n{}", i); }
  fs::path photos() const { return folder_ / "my \"photos\""; }
  fs::path run(const std::string& name) const { return folder_ / name; }
  std::vector<std::string> train(const std::string& name) const {
    return train_on_photos(
        photos(), run(name),
        {"samples.tolerate=0.5", "train.workers=2", "data.validation=0", "data.test=0"});
  }
  /// The bytes of the names in quarantine.jsonl.
  std::vector<std::string> quarantined(const std::string& name) const {
    std::vector<std::string> out;
    for (const auto& line : storage::read_json_lines(run(name) / "quarantine.jsonl")) {
      std::string path = line.at("path");
      if (line.contains("path_hex")) {
        path.clear();
        const std::string hex = line["path_hex"];
        for (size_t i = 0; i < hex.size(); i += 2) {
          path += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
        }
      }
      out.push_back(path);
    }
    std::ranges::sort(out);
    return out;
  }

  TemporaryDirectory folder_;
  std::vector<std::string> all_, damaged_;
};

TEST_F(OddNames, SurviveTrainingAKillAndEmbedding) {
  const Result whole = run_program(train("whole"));
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(quarantined("whole"), damaged_);

  pid_t process = start_program(train("killed"));
  for (size_t kills = 1; kills <= 2; ++kills) {
    wait_for_lines(run("killed") / "metrics.jsonl", 60 * kills, process);
    ::kill(process, SIGKILL);
    ASSERT_EQ(wait_for(process), 128 + SIGKILL) << "kill " << kills << " came too late";
    // Before the last resumption, a file whose name is not UTF-8 is repaired.
    if (kills == 2) {
      fs::copy_file(photos() / (folder_of(0) + "/" + kNames[5]), photos() / damaged_.back(),
                    fs::copy_options::overwrite_existing);
    }
    process = start_program({"resume", run("killed")}, ".", folder_ / "errors");
  }
  ASSERT_EQ(wait_for(process), 0) << bytes_of(folder_ / "errors");
  EXPECT_EQ(lines_in(run("killed") / "metrics.jsonl"), kPhotoSteps + 1);
  for (const char* file : {"metrics.jsonl", "encoder.safetensors", "quarantine.jsonl"}) {
    EXPECT_TRUE(bytes_of(run("killed") / file) == bytes_of(run("whole") / file)) << file;
  }

  std::vector<std::string> good;
  std::ranges::set_difference(all_, damaged_, std::back_inserter(good));
  if (fs::file_size(photos() / damaged_.back()) > 10) good.push_back(damaged_.back());
  std::ranges::sort(good);
  const Result embedded =
      run_program({"embed", run("killed"), photos(), "--out", folder_ / "e.npy"});
  ASSERT_EQ(embedded.code, 0) << embedded.err;
  storage::CsvReader rows(folder_ / "e.csv");
  std::vector<std::string> listed;
  for (std::vector<std::string> fields; rows.next(fields);) listed.push_back(fields.at(1));
  EXPECT_EQ(listed, good) << "the rows are in the order of the names";
}

TEST_F(OddNames, AreInspectedInOneLineEach) {
  const Result text = run_program({"data", "inspect", photos(), "samples.index=none"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("samples     24 (18 usable)"));
  size_t unusable = 0;
  for (size_t at = 0; (at = text.out.find("unusable    ", at)) != std::string::npos; ++at) {
    ++unusable;
  }
  EXPECT_EQ(unusable, damaged_.size());
  EXPECT_TRUE(
      std::ranges::none_of(text.out, [](unsigned char c) { return c < 0x20 && c != '\n'; }));
  const Result json = run_program({"data", "inspect", photos(), "samples.index=none", "--json"});
  ASSERT_EQ(json.code, 0) << json.err;
  EXPECT_EQ(nlohmann::json::parse(json.out)["unusable"].size(), damaged_.size());
}

}  // namespace
}  // namespace adassl::testing
