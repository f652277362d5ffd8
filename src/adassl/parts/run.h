#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adassl/core/options.h"

/// The options of a run that belong to no exchangeable part.
namespace adassl::parts {

/// The value of an option that is chosen to fit the data.
inline constexpr std::string_view kAuto = "auto";

struct TopOptions {
  int64_t seed = 1;
  void visit(Fields& field) {
    field("seed", seed, "names the trial: data, initial weights and noise follow from it",
          {0, 9e15});
  }
};

struct LoopOptions {
  int64_t steps = 200'000;
  int64_t horizon = 0;
  int64_t batch = 2048;
  int64_t workers = 1;
  int64_t prefetch = 1;
  void visit(Fields& field) {
    field("steps", steps, "optimiser steps", {0, 1e12});
    field("horizon", horizon,
          "steps over which the schedules of the step size and of the target's momentum run; 0: "
          "train.steps. A longer one trains the first part of a longer run",
          {0, 1e12});
    field("batch", batch, "pairs in a step", {2, 1 << 24});
    field("workers", workers,
          "threads that make batches ahead of the steps; 0: each is made when it is needed",
          {0, 1024});
    field("prefetch", prefetch, "how many batches they make ahead", {1, 1024});
  }
};

/// The number of steps over which schedules run.
inline int64_t horizon_of(const LoopOptions& options) {
  return options.horizon > 0 ? options.horizon : options.steps;
}

/// What a run does when the disk is full.
inline constexpr const char* kWaitForRoom = "wait";
inline constexpr const char* kStopWhenFull = "stop";

struct ObserverOptions {
  int64_t log_every = 50;
  int64_t probe_every = 500;
  int64_t checkpoint_every = 1000;
  int64_t keep_checkpoints = 3;
  std::string on_full_disk = kWaitForRoom;
  void visit(Fields& field) {
    field("log_every", log_every, "steps between two lines of metrics.jsonl", {1, 1e12});
    field("probe_every", probe_every, "steps between two online probes; 0: none", {0, 1e12});
    field("checkpoint_every", checkpoint_every, "steps between two checkpoints", {1, 1e12});
    field("keep_checkpoints", keep_checkpoints, "how many checkpoints stay", {1, 1e6});
    field("on_full_disk", on_full_disk, "whether a run waits for room or stops, to be resumed",
          {kWaitForRoom, kStopWhenFull});
  }
};

struct AdamWOptions {
  double learning_rate = 5e-4;
  double weight_decay = 1e-4;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double clip = 1;
  std::string schedule = "constant";
  int64_t warmup_steps = 0;
  void visit(Fields& field) {
    field("learning_rate", learning_rate, "step size", {0, 1e30});
    field("weight_decay", weight_decay, "decoupled decay; biases and norms are spared", {0, 1e3});
    field("beta1", beta1, "decay of the first moment", {0, 0.999999});
    field("beta2", beta2, "decay of the second moment", {0, 0.999999999});
    field("epsilon", epsilon, "added to the denominator", {0, 1});
    field("clip", clip, "largest norm of the whole gradient; 0: no clipping", {0, 1e30});
    field("schedule", schedule,
          "whether the step size stays, or falls to 0 by half a cosine over train.horizon",
          {"constant", "cosine"});
    field("warmup_steps", warmup_steps, "steps over which the step size rises first", {0, 1e9});
  }
};

struct EvaluateOptions {
  std::vector<std::string> suites = {std::string(kAuto)};
  std::string watch = std::string(kAuto);
  std::vector<int64_t> at = {};
  int64_t probe_samples = 4096;
  void visit(Fields& field) {
    field("suites", suites, "which evaluations, in order; auto: those that fit the data");
    field("watch", watch,
          "which of them is asked on the way, as an online probe; auto: the first that can");
    field("at", at,
          "steps on the way at which the whole evaluation is made too, so that a run that is cut "
          "short leaves records",
          {1, 1e12});
    field("probe_samples", probe_samples, "samples for fitting, and for scoring, an online probe",
          {32, 1e7});
  }
};

struct ComputeOptions {
  int64_t threads = 0;
  std::string kernels = "fused";
  std::string precision = "fp32";
  void visit(Fields& field) {
    field("threads", threads, "how many; 0: all cores", {0, 1024});
    field(
        "kernels", kernels,
        "fused: kernels of our own, the same bits for any number of threads; reference: LibTorch's "
        "operations one by one",
        {"fused", "reference"});
    field("precision", precision,
          "of convolutions and of perceptrons 512 wide; bf16: their operands and what lies between "
          "their layers, with float32 sums and parameters, where kernels of our own are faster so",
          {"fp32", "bf16"});
  }
};

}  // namespace adassl::parts
