#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "adassl/core/table.h"
#include "adassl/data/source.h"
#include "adassl/model/method.h"

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

struct Results {
  std::map<std::string, double> metrics;
  std::map<std::string, std::vector<double>> vectors;
  std::vector<nlohmann::json> records;  // anything larger, one record each with its own "kind"

  size_t size() const { return metrics.size() + vectors.size() + records.size(); }
};

/// One question asked of a frozen model. It adds to the results what it can answer, and nothing
/// where the question makes no sense for this method or source.
class Evaluation {
 public:
  virtual ~Evaluation() = default;
  virtual void run(const Subject& subject, Results& results) const = 0;
};

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
