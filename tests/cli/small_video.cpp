#include "cli/small_video.h"

namespace adassl::testing {

Result train_small_video(const std::string& method, const std::filesystem::path& run,
                         const std::filesystem::path& digits,
                         const std::vector<std::string>& overrides) {
  std::vector<std::string> arguments = {
      "train",
      std::string(ADASSL_SOURCE_DIR) + "/configs/video-a-" + method + ".toml",
      "--run",
      run.string(),
      "data.folder=" + digits.string(),
      "data.validation=10",
      "encoder.channels=[2,4,4,4,8]",
      "encoder.projector=[16]",
      "encoder.out=8",
      "objective.hidden=[16]",
      "train.steps=5",
      "train.batch=8",
      "train.probe_every=0",
      "evaluate.suites=[\"probes\",\"change\",\"retrieval\",\"futures\",\"utilisation\"]",
      "evaluate.probes.train_samples=64",
      "evaluate.probes.test_samples=32",
      "evaluate.probes.neighbours=3",
      "evaluate.change.pairs=64",
      "evaluate.retrieval.sources=4",
      "evaluate.retrieval.futures=4",
      "evaluate.retrieval.pairs=32",
      "evaluate.retrieval.batch=16",
      "evaluate.retrieval.steps=5",
      "evaluate.futures.sources=4",
      "evaluate.futures.futures=4",
      "evaluate.utilisation.batch=8",
      "evaluate.utilisation.batches=1",
      "compute.threads=1"};
  if (method == "adassl-v") arguments.push_back("latent.hidden=[16]");
  arguments.insert(arguments.end(), overrides.begin(), overrides.end());
  return run_program(arguments);
}

}  // namespace adassl::testing
