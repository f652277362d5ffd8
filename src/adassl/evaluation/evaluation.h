#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adassl/core/error.h"
#include "adassl/core/metric.h"
#include "adassl/core/table.h"
#include "adassl/data/source.h"
#include "adassl/evaluation/blocks.h"
#include "adassl/model/capabilities.h"
#include "adassl/model/method.h"
#include "adassl/records/record.h"

namespace adassl::evaluation {

/// The method to evaluate and the data to evaluate it on. All random draws come from streams of
/// `seed` whose purposes begin with `purpose`.
struct Subject {
  model::Method& method;
  const data::Source& source;
  uint64_t seed = 0;
  std::string purpose = "evaluate";
  bool watching = false;  // during training: score on validation, never on test
  nn::ComputePtr compute = nn::default_compute();  // how the method computes
  data::Prefetch prefetch = {};                    // how much data is made ahead

  random::Stream stream(const std::string& name, uint64_t number = 0) const {
    return {seed, purpose + "/" + name, number};
  }
  /// Pairs of the source. While watching, those that it holds out, fewer if there are fewer.
  Batch pairs(const random::Stream& from, int64_t count) const {
    return watching ? source.watched_pairs(from, count) : source.pairs(from, count);
  }
  /// The same, to be made ahead.
  data::Job<Batch> job_of_pairs(const random::Stream& from, int64_t count) const;
  /// The population on which probes are scored.
  std::string scored() const { return watching ? source.watched() : source.held_out(); }
};

/// These functions look at `count` samples or pairs in pieces, which are made ahead as the
/// subject's `prefetch` says, and concatenate the results as in_pieces does. In a finite population
/// or set of pairs all pieces belong to one draw, so that none occurs twice before each has
/// occurred once. Where there is no end, each piece is drawn from a stream of its own.
using LookAtSamples = std::function<std::vector<Tensor>(const Samples& samples)>;
using LookAtPairs = std::function<std::vector<Tensor>(const Batch& batch)>;

/// Samples of a draw that has this name.
std::vector<Tensor> look_at_samples(const Subject& subject, const std::string& population,
                                    const std::string& name, int64_t count,
                                    const LookAtSamples& look);
/// The samples on which probes are scored, fewer if there are fewer. They always are one draw.
std::vector<Tensor> look_at_scored(const Subject& subject, const std::string& name, int64_t count,
                                   const LookAtSamples& look);
/// Pairs of a draw that has this name.
std::vector<Tensor> look_at_pairs(const Subject& subject, const std::string& name, int64_t count,
                                  const LookAtPairs& look);

/// A piece of the pairs of a draw: piece k comes from stream_of(k) where pairs have no end.
data::Job<Batch> piece_of_pairs(const Subject& subject, const Piece& piece,
                                const std::function<random::Stream(uint64_t number)>& stream_of);

/// How much an evaluation may look at while a run is trained.
struct WatchSize {
  int64_t samples = 4096;  // for fitting a probe, and as many for scoring it
  int64_t pairs = 256;     // for numbers that need no labels
};

/// The results of evaluations. Code that adds a number describes it at the same place; nothing else
/// is needed for the number to appear in tables, charts and pages.
struct Results {
  std::map<std::string, double> metrics;
  std::map<std::string, std::vector<double>> vectors;
  Descriptions descriptions;  // of the metrics and vectors
  records::Records records;   // larger results, one record each, with a kind of its own

  void add(const Metric& metric, double value);
  void add(const Metric& metric, std::vector<double> values);
  size_t size() const { return metrics.size() + vectors.size() + records.size(); }
};

/// Describes the vector of the values of single factors, given the metric that is their mean and
/// the names of the factors: "r2_pz_per_factor" for "r2_pz".
Metric per_factor(const Metric& mean, const std::vector<std::string>& names);

/// One evaluation of a frozen model.
class Evaluation {
 public:
  virtual ~Evaluation() = default;
  /// Adds its results. May only be called if there is no obstacle.
  virtual void run(const Subject& subject, Results& results) const = 0;
  /// Why the evaluation does not apply to this method or source; empty if it applies.
  virtual std::string obstacle(const Subject& /*subject*/) const { return ""; }
  /// Whether it runs by default on such data.
  virtual bool fits(const data::Source& /*source*/) const { return true; }
  /// A small version that runs repeatedly during training; null if there is none.
  virtual std::shared_ptr<Evaluation> watching(const WatchSize&) const { return nullptr; }
  /// Whether it needs no ground truth, so that it can watch every run, beside a probe.
  virtual bool label_free() const { return false; }
};

/// Runs the evaluation and returns "". If there is an obstacle, returns it instead.
std::string ask(const Evaluation& evaluation, const Subject& subject, Results& results);

/// The obstacle of a method that lacks this capability; empty if the method offers it.
template <class Capability>
std::string obstacle_without(const Subject& subject) {
  if (model::offers<Capability>(subject.method) != nullptr) return "";
  return join("the method does not ", Capability::kWhat);
}

/// The capability. Throws Error if the method does not offer it.
template <class Capability>
Capability& require(model::Method& method) {
  auto* offered = model::offers<Capability>(method);
  ADASSL_CHECK(offered != nullptr, "[evaluate] expected a method that can ", Capability::kWhat);
  return *offered;
}

using EvaluationEntry = Entry<Evaluation>;
const std::vector<EvaluationEntry>& evaluations();

/// Sets the method to evaluation mode without gradients as long as the object lives, then restores
/// the mode.
class Frozen {
 public:
  explicit Frozen(model::Method& method);
  ~Frozen();
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;

 private:
  model::Method& method_;
  bool was_training_;
  torch::NoGradGuard no_grad_;
};

/// Embeddings in double precision, computed block by block: [N, ...] -> [N, d].
Tensor embed(model::Method& method, const Array& x);

}  // namespace adassl::evaluation
