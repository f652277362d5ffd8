#pragma once

#include <string>
#include <vector>

#include "adassl/core/table.h"
#include "adassl/model/editor.h"
#include "adassl/model/encoder.h"
#include "adassl/model/latent.h"
#include "adassl/model/method.h"
#include "adassl/model/objective.h"
#include "adassl/model/similarity.h"
#include "adassl/nn/layers.h"
#include "adassl/nn/tensors.h"
#include "adassl/study/experiment.h"
#include "adassl/training/loop.h"

/// Small worlds for the contract tests, which run over every entry of every table.
namespace adassl::testing {

constexpr int64_t kBatch = 64;
constexpr int64_t kWidth = 11;  // of embeddings

inline Tensor draws(int64_t columns, const char* name) {
  return nn::normal(kBatch, columns, {1, name}, torch::empty({0}));
}

/// An experiment on the numerical source, small enough for a test.
inline Config small_config(const std::vector<std::string>& overrides) {
  Config config = Config::from_text(R"(
    [data]
    mixing_candidates = 20
    [compute]
    threads = 1
    [train]
    batch = 64
    steps = 20
    [evaluate]
    probe_samples = 64
    [evaluate.regression]
    train_samples = 256
    test_samples = 256
    [evaluate.utilisation]
    batch = 64
    batches = 2
    [evaluate.geometry]
    pairs = 64
    [evaluate.density]
    samples = 128
    directions = 8
    energy_samples = 64
    bins = 8
  )",
                                    "small");
  for (const std::string& assignment : overrides) config.override_with(assignment);
  return config;
}

/// A name gtest accepts.
inline std::string test_name(std::string name) {
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

}  // namespace adassl::testing
