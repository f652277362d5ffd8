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

/// Whether a list is to be chosen to fit the data.
inline bool is_auto(const std::vector<std::string>& names) {
  return names.size() == 1 && names.front() == kAuto;
}

struct TopOptions {
  int64_t seed = 1;
  void visit(Fields& field) {
    field("seed", seed, "seed of the trial, from which data, initial weights and noise follow",
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
          "steps over which the schedules of the learning rate and of the momentum run; 0: "
          "train.steps. If it is larger, the run is the first part of a longer run",
          {0, 1e12});
    field("batch", batch, "pairs per step", {2, 1 << 24});
    field("workers", workers,
          "threads that make data ahead, of training and of evaluations; 0: all is made when it is "
          "needed",
          {0, 1024});
    field("prefetch", prefetch, "how many batches, or pieces of evaluations, are made ahead",
          {1, 1024});
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
    field("keep_checkpoints", keep_checkpoints, "number of checkpoints to keep", {1, 1e6});
    field("on_full_disk", on_full_disk,
          "whether a run waits for free space or stops, so that it can be resumed",
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
    field("learning_rate", learning_rate, "learning rate", {0, 1e30});
    field("weight_decay", weight_decay, "decoupled weight decay, except for biases and norms",
          {0, 1e3});
    field("beta1", beta1, "decay of the first moment", {0, 0.999999});
    field("beta2", beta2, "decay of the second moment", {0, 0.999999999});
    field("epsilon", epsilon, "added to the denominator", {0, 1});
    field("clip", clip, "largest norm of the whole gradient; 0: no clipping", {0, 1e30});
    field("schedule", schedule,
          "whether the learning rate is constant or falls to 0 along a cosine over train.horizon",
          {"constant", "cosine"});
    field("warmup_steps", warmup_steps, "steps over which the learning rate first rises from 0",
          {0, 1e9});
  }
};

struct EvaluateOptions {
  std::vector<std::string> suites = {std::string(kAuto)};
  std::vector<std::string> watch = {std::string(kAuto)};
  std::vector<int64_t> at = {};
  int64_t probe_samples = 4096;
  int64_t watch_pairs = 256;
  int64_t shown_samples = 6;
  bool untrained = false;
  void visit(Fields& field) {
    field("suites", suites, "evaluations to run, in this order; auto: those that fit the data");
    field("watch", watch,
          "evaluations that run before the first step and during training; auto: the first probe "
          "that fits the data, and all that need no labels");
    field("at", at,
          "steps during training after which all evaluations run too, so that a run that is cut "
          "short leaves records",
          {1, 1e12});
    field("probe_samples", probe_samples,
          "samples for fitting an online probe, and as many for scoring it", {32, 1e7});
    field("watch_pairs", watch_pairs, "held-out pairs for numbers that need no labels",
          {16, 16384});
    field("shown_samples", shown_samples,
          "pictures in files, held out for validation if any are, whose neighbours are recorded at "
          "the start, after an eighth and a half of the steps, and at the end; 0: none",
          {0, 100});
    field(
        "untrained", untrained,
        "at the end, also run the evaluations on the weights that the seed draws, for comparison");
  }
};

struct ComputeOptions {
  int64_t threads = 0;
  std::string device = "cpu";
  std::string kernels = "fused";
  std::string precision = "fp32";
  void visit(Fields& field) {
    field("threads", threads, "number of threads; 0: one per core", {0, 1024});
    field("device", device,
          "cpu, cuda or cuda:N; on a CUDA device the reference kernels run, which has not been "
          "tried yet");
    field("kernels", kernels,
          "fused: adassl's own kernels, with the same bits for any number of threads; reference: "
          "LibTorch's operations",
          {"fused", "reference"});
    field("precision", precision,
          "precision of convolutions and of MLPs at least 512 wide; bf16: operands and activations "
          "in bfloat16, sums and parameters in float32, if that is faster on this machine",
          {"fp32", "bf16"});
  }
};

}  // namespace adassl::parts
