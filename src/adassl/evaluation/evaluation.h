#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adassl/core/error.h"
#include "adassl/core/metric.h"
#include "adassl/core/table.h"
#include "adassl/data/source.h"
#include "adassl/model/capabilities.h"
#include "adassl/model/method.h"
#include "adassl/records/record.h"

namespace adassl::evaluation {

/// What is evaluated. All draws come from (seed, purposes that begin with `purpose`).
struct Subject {
  model::Method& method;
  const data::Source& source;
  uint64_t seed = 0;
  std::string purpose = "evaluate";
  bool watching = false;  // while it is trained: what is kept for the end is not looked at

  random::Stream stream(const std::string& name, uint64_t number = 0) const {
    return {seed, purpose + "/" + name, number};
  }
};

/// What evaluations found. Whoever adds a number says beside it what it is: nothing else is needed
/// for it to appear in tables, charts and pages.
struct Results {
  std::map<std::string, double> metrics;
  std::map<std::string, std::vector<double>> vectors;
  Descriptions descriptions;  // of both
  records::Records records;   // anything larger, one record each with its own kind

  void add(const Metric& metric, double value);
  void add(const Metric& metric, std::vector<double> values);
  size_t size() const { return metrics.size() + vectors.size() + records.size(); }
};

/// The bars for the single factors of an R² that is their mean: "r2_pz_per_factor" of "r2_pz".
Metric per_factor(const Metric& r2);

/// One question asked of a frozen model.
class Evaluation {
 public:
  virtual ~Evaluation() = default;
  /// Adds the answers to the results. Only to be called where there is no obstacle.
  virtual void run(const Subject& subject, Results& results) const = 0;
  /// Why the question makes no sense for this method or source; empty where it does.
  virtual std::string obstacle(const Subject& /*subject*/) const { return ""; }
  /// Whether it is asked of such data unless others are chosen.
  virtual bool fits(const data::Source& /*source*/) const { return true; }
  /// The same question with so many samples, to be asked again and again while a run is on its way;
  /// null where that would make no sense.
  virtual std::shared_ptr<Evaluation> watching(int64_t /*samples*/) const { return nullptr; }
};

/// Runs the evaluation, unless there is an obstacle: then returns it.
std::string ask(const Evaluation& evaluation, const Subject& subject, Results& results);

/// Why a method without this capability cannot be asked; empty where it has it.
template <class Capability>
std::string obstacle_without(const Subject& subject) {
  if (model::offers<Capability>(subject.method) != nullptr) return "";
  return join("the method does not ", Capability::kWhat);
}

/// The capability; Error where the method does not offer it.
template <class Capability>
Capability& require(model::Method& method) {
  auto* offered = model::offers<Capability>(method);
  ADASSL_CHECK(offered != nullptr, "[evaluate] expected a method that can ", Capability::kWhat);
  return *offered;
}

using EvaluationEntry = Entry<Evaluation>;
const std::vector<EvaluationEntry>& evaluations();

/// Eval mode and no gradients while it lives; then the mode that was.
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

/// Embeddings in double precision, made block by block: [N, ...] -> [N, d].
Tensor embed(model::Method& method, const Array& x);

}  // namespace adassl::evaluation
