#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "adassl/core/config.h"
#include "adassl/training/loop.h"

namespace adassl::testing {

/// The configuration of a short run on a folder of pictures whose pairs are those of a folder.
inline Config picture_run(const std::filesystem::path& pictures,
                          const std::vector<std::string>& overrides = {}) {
  Config config = Config::from_text(R"(
    method = "infonce"
    [data]
    kind = "files"
    [samples]
    kind = "images"
    index = "none"
    [pairing]
    kind = "group"
    [views]
    kind = "weak"
    size = 8
    [encoder]
    kind = "mlp"
    hidden = [8]
    out = 4
    [train]
    steps = 12
    batch = 8
    checkpoint_every = 2
    [evaluate]
    suites = []
    watch = []
    [compute]
    threads = 1
  )",
                                    "test");
  config.override_with("samples.path=" + to_toml(pictures.string()));
  for (const std::string& assignment : overrides) config.override_with(assignment);
  return config;
}

/// Does something after a step, and may end the training there, as a signal would.
class AfterStep final : public training::Observer {
 public:
  AfterStep(int64_t step, std::function<training::Flow()> act)
      : step_(step), act_(std::move(act)) {}
  training::Flow on_step(const training::StepReport& report) override {
    return report.step == step_ ? act_() : training::Flow::kContinue;
  }

 private:
  int64_t step_;
  std::function<training::Flow()> act_;
};

}  // namespace adassl::testing
