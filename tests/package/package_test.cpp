#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "adassl/core/batch.h"
#include "adassl/storage/file.h"
#include "adassl/storage/npy.h"
#include "support/temporary_directory.h"

/// The installed package, as another project uses it: it is installed, moved to another folder, and
/// the examples and the lines of the README are built against it and run. The folders stay in the
/// build folder, so that a repeated test compiles only what has changed.
namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path kFolder = fs::path(ADASSL_BUILD_DIR) / "package-test";
const fs::path kPrefix = kFolder / "moved";
const fs::path kSource = ADASSL_SOURCE_DIR;

struct Result {
  int code = -1;
  std::string output;  // standard output and error
};

/// Runs a line of the shell in a folder.
Result run(const std::string& line, const fs::path& folder = kFolder) {
  const fs::path output = kFolder / "output.txt";
  const std::string whole =
      "cd '" + folder.string() + "' && ( " + line + " ) >'" + output.string() + "' 2>&1";
  const int status = std::system(whole.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(output)};
}

std::string quoted(const fs::path& path) { return "'" + path.string() + "'"; }

/// Configures and builds a project that uses the installed package.
void build(const fs::path& project, const fs::path& folder) {
  const Result configured =
      run(ADASSL_CMAKE " -Wno-dev -G '" ADASSL_GENERATOR
                       "' -DCMAKE_BUILD_TYPE=Release"
                       " -DCMAKE_CXX_COMPILER='" ADASSL_COMPILER "' -DCMAKE_PREFIX_PATH=" +
          quoted(kPrefix) + " -S " + quoted(project) + " -B " + quoted(folder));
  ASSERT_EQ(configured.code, 0) << configured.output;
  const Result built = run(ADASSL_CMAKE " --build " + quoted(folder));
  ASSERT_EQ(built.code, 0) << built.output;
}

/// The code of the first block of this language in the section of the README.
std::string block_of_readme(const std::string& section, const std::string& language) {
  const std::string text = contents(kSource / "README.md");
  const std::string fence = "```" + language + "\n";
  const size_t begin = text.find(fence, text.find("\n## " + section + "\n"));
  if (begin == std::string::npos) return "";
  const size_t code = begin + fence.size();
  return text.substr(code, text.find("```", code) - code);
}

class Package : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    fs::create_directories(kFolder);
    fs::remove_all(kPrefix);
    fs::remove_all(kFolder / "installed");
    const Result installed = run(ADASSL_CMAKE " --install '" ADASSL_BUILD_DIR "' --prefix " +
                                 quoted(kFolder / "installed"));
    ASSERT_EQ(installed.code, 0) << installed.output;
    fs::rename(kFolder / "installed", kPrefix);
  }
};

TEST_F(Package, HasHeadersWithoutTheProgramsOwn) {
  EXPECT_TRUE(fs::exists(kPrefix / "include/adassl/adassl.h"));
  EXPECT_TRUE(fs::exists(kPrefix / "include/adassl/study/tables.h"));
  EXPECT_FALSE(fs::exists(kPrefix / "include/adassl/cli"));
  EXPECT_FALSE(fs::exists(kPrefix / "include/adassl/app"));
}

TEST_F(Package, HasAProgramThatTrains) {
  fs::remove_all(kFolder / "trained");
  const fs::path config = kPrefix / "share/adassl/configs/numerical-complex-infonce.toml";
  const Result trained =
      run(quoted(kPrefix / "bin/adassl") + " train " + quoted(config) +
          " --run trained train.steps=5 train.batch=16 train.probe_every=0 encoder.hidden=[8]"
          " data.mixing_candidates=10 evaluate.suites=[\\\"regression\\\"] compute.threads=1"
          " evaluate.regression.train_samples=64 evaluate.regression.test_samples=64");
  EXPECT_EQ(trained.code, 0) << trained.output;
  EXPECT_TRUE(fs::exists(kFolder / "trained/report.html"));
}

TEST_F(Package, BuildsAndRunsBothExamples) {
  ASSERT_NO_FATAL_FAILURE(build(kSource / "examples/own_source", kFolder / "own_source"));
  ASSERT_NO_FATAL_FAILURE(build(kSource / "examples/embed", kFolder / "embed"));
  const fs::path work = kFolder / "work";
  fs::remove_all(work);
  fs::create_directories(work);

  const Result trained =
      run(quoted(kFolder / "own_source/own_source") + " " +
              quoted(kSource / "examples/own_source/tones.toml") + " run compute.threads=1",
          work);
  ASSERT_EQ(trained.code, 0) << trained.output;
  std::smatch found;
  ASSERT_TRUE(std::regex_search(trained.output, found, std::regex("1000 steps, R2 ([0-9.]+)")))
      << trained.output;
  const std::string records = storage::read_file(work / "run/records.jsonl", 1 << 20);
  const size_t last = records.rfind('\n', records.size() - 2);  // the metrics come last
  const auto record =
      nlohmann::json::parse(records.substr(last == std::string::npos ? 0 : last + 1));
  ASSERT_EQ(record["kind"], "evaluation");
  EXPECT_NEAR(std::stod(found[1]), record["metrics"]["r2_tones"].get<double>(), 1e-5);
  EXPECT_GT(std::stod(found[1]), 0.8) << "an affine map of the signal itself reaches 0";

  const std::string embed = quoted(kFolder / "embed/embed");
  const Result embedded = run(embed + " run windows.npy z.npy", work);
  EXPECT_EQ(embedded.output, "adassl-v, step 1000: 1000 embeddings of 8 numbers\n");
  EXPECT_EQ(embedded.code, 0);
  const auto z = storage::read_npy(work / "z.npy");
  EXPECT_EQ(z.shape, (std::vector<int64_t>{1000, 8}));
  EXPECT_EQ(z.dtype, storage::Dtype::kF32);

  const Result refused = run(embed + " run z.npy again.npy", work);
  EXPECT_EQ(refused.output,
            "embed: [embed] expected observations [N, 32] with N > 0, got [1000, 8]\n");
  EXPECT_EQ(refused.code, 2);
}

TEST_F(Package, CompilesAndRunsTheLinesOfTheReadme) {
  const fs::path project = kFolder / "readme";
  fs::create_directories(project);
  const std::string section = "As a library";
  put(project / "CMakeLists.txt", block_of_readme(section, "cmake"));
  put(project / "main.cpp", block_of_readme(section, "cpp"));
  ASSERT_NO_FATAL_FAILURE(build(project, project / "build"));

  fs::remove_all(project / "runs");
  put(project / "pairs.toml",
      "method = 'infonce'\n[data]\nmixing_candidates = 10\n[encoder]\nhidden = [8]\nout = 3\n"
      "[train]\nbatch = 16\nprobe_every = 0\n[evaluate]\nsuites = ['geometry']\n"
      "[compute]\nthreads = 1\n");
  const std::vector<float> x(7 * 10, 0.5F);
  storage::write_npy(project / "x.npy", storage::Dtype::kF32, {7, 10}, std::as_bytes(std::span(x)));
  const Result done = run("build/mine", project);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_EQ(storage::read_npy(project / "z.npy").shape, (std::vector<int64_t>{7, 3}));

  put(project / "pairs.toml", "method = 'infonce'\nsteps = 3\n");
  const Result refused = run("build/mine", project);
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.output, HasSubstr("pairs.toml:2] unknown key 'steps'"));
}

}  // namespace
}  // namespace adassl::testing
