#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adassl/core/options.h"

/// The options of the evaluations.
namespace adassl::parts {

struct RegressionOptions {
  static constexpr std::string_view kName = "regression";
  static constexpr std::string_view kSummary =
      "R2 of an affine map from the embedding to the true factors";
  int64_t train_samples = 100'000;
  int64_t test_samples = 100'000;
  void visit(Fields& field) {
    field("train_samples", train_samples, "samples the map is fitted on", {32, 1e7});
    field("test_samples", test_samples, "fresh samples it is scored on", {32, 1e7});
  }
};

struct ProbesOptions {
  static constexpr std::string_view kName = "probes";
  static constexpr std::string_view kSummary =
      "classes and factors as linear probes read them off representation and embedding";
  int64_t train_samples = 60'000;
  int64_t test_samples = 10'000;
  int64_t neighbours = 20;
  double l2 = 1e-6;
  int64_t max_iterations = 1000;
  double tolerance = 1e-5;
  void visit(Fields& field) {
    field("train_samples", train_samples, "samples the probes are fitted on", {32, 1e7});
    field("test_samples", test_samples,
          "held-out samples they are scored on; all, where there are fewer", {32, 1e7});
    field("neighbours", neighbours, "neighbours that vote", {1, 10000});
    field("l2", l2, "weight decay of the classifier, on features of unit variance", {0, 1e3});
    field("max_iterations", max_iterations, "steps of the classifier's L-BFGS", {1, 1e6});
    field("tolerance", tolerance, "norm of the gradient at which it stops", {1e-12, 1});
  }
};

struct ChangeOptions {
  static constexpr std::string_view kName = "change";
  static constexpr std::string_view kSummary = "R2 between r and the true change, both ways";
  int64_t pairs = 4096;
  void visit(Fields& field) {
    field("pairs", pairs, "pairs looked at, half of them for fitting", {16, 1e7});
  }
};

struct RetrievalOptions {
  static constexpr std::string_view kName = "retrieval";
  static constexpr std::string_view kSummary =
      "how well predictions with a told change find their own x+ among many";
  int64_t sources = 64;
  int64_t futures = 64;
  int64_t pairs = 8192;
  int64_t steps = 1000;
  int64_t batch = 256;
  double learning_rate = 1e-3;
  int64_t hidden = 128;
  void visit(Fields& field) {
    field("sources", sources, "observations that go on", {1, 10000});
    field("futures", futures, "ways in which each goes on", {1, 10000});
    field("pairs", pairs, "training pairs for the map from change to r", {2, 1e7});
    field("steps", steps, "steps of its training", {0, 1e7});
    field("batch", batch, "pairs in each", {1, 1e6});
    field("learning_rate", learning_rate, "of its Adam, at first; falls to 0", {1e-9, 10});
    field("hidden", hidden, "width of its hidden layer", {1, 1024});
  }
};

struct SampledFuturesOptions {
  static constexpr std::string_view kName = "futures";
  static constexpr std::string_view kSummary =
      "how many of the true futures imagined ones lead to, and how far they spread";
  int64_t sources = 64;
  int64_t futures = 64;
  int64_t draws = 10;
  void visit(Fields& field) {
    field("sources", sources, "observations that go on", {1, 10000});
    field("futures", futures, "ways in which each goes on", {2, 10000});
    field("draws", draws, "imagined futures for each", {2, 10000});
  }
};

struct UtilisationOptions {
  static constexpr std::string_view kName = "utilisation";
  static constexpr std::string_view kSummary =
      "what r costs, which dimensions are active, what it explains";
  int64_t batch = 2048;
  int64_t batches = 4;
  void visit(Fields& field) {
    field("batch", batch, "pairs that compete with each other", {2, 16384});
    field("batches", batches, "batches averaged over", {1, 1e6});
  }
};

struct GeometryOptions {
  static constexpr std::string_view kName = "geometry";
  static constexpr std::string_view kSummary =
      "effective rank (RankMe), alignment of pairs, uniformity";
  int64_t pairs = 4096;
  void visit(Fields& field) { field("pairs", pairs, "pairs looked at", {16, 16384}); }
};

struct DensityOptions {
  static constexpr std::string_view kName = "density";
  static constexpr std::string_view kSummary =
      "what the model believes x+ to be, against the truth";
  int64_t samples = 20'000;
  std::string projection = "predicted";
  int64_t directions = 128;
  int64_t energy_samples = 4000;
  int64_t bins = 40;
  void visit(Fields& field) {
    field("samples", samples, "pairs for the map, and as many for the densities", {64, 1e7});
    field("projection", projection, "what the map is fitted on", {"predicted", "target"});
    field("directions", directions, "directions of the sliced distance", {1, 1e5});
    field("energy_samples", energy_samples, "rows for the energy distance", {16, 10000});
    field("bins", bins, "bins of the pictures' histograms, each way", {4, 200});
  }
};

}  // namespace adassl::parts
