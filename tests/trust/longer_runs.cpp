#include "trust/longer_runs.h"

#include <algorithm>
#include <stdexcept>

#include "support/small_mnist.h"

namespace adassl::trust {
namespace {

namespace fs = std::filesystem;

Command numerical(const std::string& method, const fs::path& run) {
  Command command = testing::small_train(
      run,
      {"train.steps=400", "train.log_every=1", "train.probe_every=50", "train.checkpoint_every=20",
       "evaluate.at=[100, 250]", "evaluate.regression.train_samples=4096",
       "evaluate.regression.test_samples=4096"},
      "numerical-complex-" + method);
  if (method == "infonce" || method == "hinfonce-mlp") {  // there is no r whose use can be told
    std::replace(command.begin(), command.end(),
                 std::string("evaluate.suites=[\"regression\", \"utilisation\"]"),
                 std::string("evaluate.suites=[\"regression\"]"));
    std::erase(command, "evaluate.utilisation.batch=32");
  }
  return command;
}

Command video(const fs::path& digits, const fs::path& run) {
  return {"train",
          std::string(ADASSL_SOURCE_DIR) + "/configs/video-a-byol.toml",
          "--run",
          run.string(),
          "data.folder=" + digits.string(),
          "data.validation=10",
          "encoder.channels=[2,4,4,4,8]",
          "encoder.projector=[16]",
          "encoder.out=8",
          "objective.hidden=[16]",
          "train.steps=60",
          "train.batch=8",
          "train.log_every=1",
          "train.probe_every=20",
          "train.checkpoint_every=6",
          "evaluate.suites=[\"probes\"]",
          "evaluate.watch_pairs=16",
          "evaluate.probe_samples=32",
          "evaluate.probes.train_samples=32",
          "evaluate.probes.test_samples=32",
          "compute.threads=1"};
}

}  // namespace

void make_reference(LongerRun& run, const fs::path& folder) {
  run.reference = folder / run.name;
  const Ended ended = run_to_the_end(run.command(run.reference), folder / "errors.txt");
  if (ended.code != 0) throw std::runtime_error("reference of " + run.name + ": " + ended.err);
  run.seconds = ended.seconds;
}

std::vector<LongerRun> make_longer_runs(const fs::path& folder) {
  const fs::path digits = folder / "digits";
  testing::write_small_mnist(digits);
  std::vector<LongerRun> out;
  for (const std::string method : {"infonce", "adassl-v", "adassl-s", "hinfonce-mlp"}) {
    out.push_back(
        {method, [method](const fs::path& run) { return numerical(method, run); }, {}, 0});
  }
  out.push_back(
      {"video-byol", [digits](const fs::path& run) { return video(digits, run); }, {}, 0});
  for (LongerRun& run : out) make_reference(run, folder);
  return out;
}

}  // namespace adassl::trust
