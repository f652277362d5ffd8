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
    field("train_samples", train_samples, "samples for fitting the map", {32, 1e7});
    field("test_samples", test_samples, "fresh samples for scoring it", {32, 1e7});
  }
};

struct ProbesOptions {
  static constexpr std::string_view kName = "probes";
  static constexpr std::string_view kSummary =
      "linear and nearest-neighbour probes of classes and factors, on representation and embedding";
  int64_t train_samples = 60'000;
  int64_t test_samples = 10'000;
  int64_t neighbours = 20;
  double l2 = 1e-6;
  int64_t max_iterations = 1000;
  double tolerance = 1e-5;
  bool normalise_embedding = false;
  void visit(Fields& field) {
    field("train_samples", train_samples, "samples for fitting the probes", {32, 1e7});
    field("test_samples", test_samples,
          "held-out samples for scoring them; all of them if there are fewer", {32, 1e7});
    field("neighbours", neighbours, "k of the k-nearest-neighbour probe", {1, 10000});
    field("l2", l2, "L2 penalty of the classifier, on features scaled to unit variance", {0, 1e3});
    field("max_iterations", max_iterations, "limit on the iterations of the classifier's L-BFGS",
          {1, 1e6});
    field("tolerance", tolerance, "gradient norm at which L-BFGS stops", {1e-12, 1});
    field("normalise_embedding", normalise_embedding,
          "whether embeddings are probed with length 1, as the paper probes those of images");
  }
};

struct DciOptions {
  static constexpr std::string_view kName = "dci";
  static constexpr std::string_view kSummary =
      "disentanglement, completeness and informativeness, by LassoCV from the embedding to the "
      "factors";
  int64_t samples = 25'000;
  int64_t folds = 5;
  int64_t alphas = 100;
  double eps = 1e-3;
  double tolerance = 1e-4;
  int64_t max_iterations = 50'000;
  std::string angles = "value";
  void visit(Fields& field) {
    field("samples", samples, "held-out samples; all of them if there are fewer", {32, 1e7});
    field("folds", folds, "contiguous parts of the samples, each of which is held out once",
          {2, 100});
    field("alphas", alphas, "number of penalties to choose from", {2, 10000});
    field("eps", eps, "the smallest penalty as a share of the largest", {1e-12, 0.999});
    field("tolerance", tolerance, "duality gap at which a fit stops, as a share of the variance",
          {1e-15, 1});
    field("max_iterations", max_iterations, "limit on the passes of a fit over its weights",
          {1, 1e9});
    field("angles", angles,
          "what is predicted of an angle: its value, as in the paper's evaluation, or its cosine "
          "and sine, whose importances are added",
          {"value", "circle"});
  }
};

struct ControlOptions {
  static constexpr std::string_view kName = "control";
  static constexpr std::string_view kSummary =
      "which factors groups of dimensions of r change when samples are retrieved by them";
  int64_t queries = 512;
  int64_t draws = 4;
  int64_t train_samples = 10'000;
  int64_t gallery = 25'000;
  double threshold = 0.5;
  void visit(Fields& field) {
    field("queries", queries, "held-out x; half of them are for finding groups", {4, 1e6});
    field("draws", draws, "draws of r for each x", {1, 1000});
    field("train_samples", train_samples, "samples for reading factors from embeddings", {32, 1e7});
    field("gallery", gallery,
          "held-out samples among which is searched; all of them if there are "
          "fewer",
          {8, 1e7});
    field("threshold", threshold,
          "standard deviations by which a factor has to differ to count as changed", {0, 100});
  }
};

struct ChangeOptions {
  static constexpr std::string_view kName = "change";
  static constexpr std::string_view kSummary =
      "R2 of affine maps between r and the true change, in both directions";
  int64_t pairs = 4096;
  void visit(Fields& field) {
    field("pairs", pairs, "number of pairs; half of them are for fitting", {16, 1e7});
  }
};

struct PartnerOptions {
  static constexpr std::string_view kName = "partner";
  static constexpr std::string_view kSummary =
      "classes of x+ by linear classifiers of x, of r and of both: what does r say about x+?";
  int64_t pairs = 4096;
  int64_t max_iterations = 200;
  void visit(Fields& field) {
    field("pairs", pairs, "number of pairs; half of them are for fitting", {16, 1e7});
    field("max_iterations", max_iterations, "iterations of each classifier's fit", {1, 1e6});
  }
};

struct RetrievalOptions {
  static constexpr std::string_view kName = "retrieval";
  static constexpr std::string_view kSummary =
      "how well predictions that are given the true change retrieve their x+ from a pool";
  int64_t sources = 64;
  int64_t futures = 64;
  int64_t pairs = 8192;
  int64_t steps = 1000;
  int64_t batch = 256;
  double learning_rate = 1e-3;
  int64_t hidden = 128;
  void visit(Fields& field) {
    field("sources", sources, "number of observations x", {1, 10000});
    field("futures", futures, "number of futures x+ of each", {1, 10000});
    field("pairs", pairs, "training pairs for the map from change to r", {2, 1e7});
    field("steps", steps, "training steps of this map", {0, 1e7});
    field("batch", batch, "pairs per step", {1, 1e6});
    field("learning_rate", learning_rate,
          "initial learning rate of its Adam; falls to 0 along a cosine", {1e-9, 10});
    field("hidden", hidden, "width of its hidden layer", {1, 1024});
  }
};

struct SampledFuturesOptions {
  static constexpr std::string_view kName = "futures";
  static constexpr std::string_view kSummary =
      "how many different futures the method imagines, and their spread, relative to the truth";
  int64_t sources = 64;
  int64_t futures = 64;
  int64_t draws = 10;
  void visit(Fields& field) {
    field("sources", sources, "number of observations x", {1, 10000});
    field("futures", futures, "number of true futures x+ of each", {2, 10000});
    field("draws", draws, "number of imagined futures of each", {2, 10000});
  }
};

struct UtilisationOptions {
  static constexpr std::string_view kName = "utilisation";
  static constexpr std::string_view kSummary =
      "the cost of r, its active dimensions, and how much of the objective it explains";
  int64_t batch = 2048;
  int64_t batches = 4;
  void visit(Fields& field) {
    field("batch", batch, "pairs per batch, which are each other's negatives", {2, 16384});
    field("batches", batches, "number of batches to average over", {1, 1e6});
  }
};

struct GeometryOptions {
  static constexpr std::string_view kName = "geometry";
  static constexpr std::string_view kSummary =
      "effective rank (RankMe), alignment of pairs, uniformity";
  int64_t pairs = 4096;
  void visit(Fields& field) { field("pairs", pairs, "number of pairs", {16, 16384}); }
};

struct ReconstructionOptions {
  static constexpr std::string_view kName = "reconstruction";
  static constexpr std::string_view kSummary =
      "how well held-out observations are reconstructed from their embeddings";
  int64_t samples = 4096;
  void visit(Fields& field) {
    field("samples", samples, "held-out samples; all of them if there are fewer", {2, 1e7});
  }
};

struct DensityOptions {
  static constexpr std::string_view kName = "density";
  static constexpr std::string_view kSummary =
      "the predicted density of x+ compared with the true one";
  int64_t samples = 20'000;
  std::string projection = "predicted";
  int64_t directions = 128;
  int64_t energy_samples = 4000;
  int64_t bins = 40;
  void visit(Fields& field) {
    field("samples", samples, "pairs for fitting the map, and as many for the densities",
          {64, 1e7});
    field("projection", projection, "embeddings on which the map to factors is fitted",
          {"predicted", "target"});
    field("directions", directions, "random directions of the sliced Wasserstein distance",
          {1, 1e5});
    field("energy_samples", energy_samples, "rows for the energy distance", {16, 10000});
    field("bins", bins, "bins of the histograms in the figures, per axis", {4, 200});
  }
};

}  // namespace adassl::parts
