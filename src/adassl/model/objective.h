#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adassl/core/metric.h"
#include "adassl/core/table.h"
#include "adassl/model/similarity.h"
#include "adassl/nn/compute.h"

namespace adassl::model {

struct ObjectiveContext {
  int64_t embedding = 0;  // d
  int64_t edited = 0;     // width of e_hat: d, or more if the editor passes r on
  bool hypersphere = true;
  Config* config = nullptr;  // for parts of its own, such as the similarity
  std::vector<SimilarityEntry> similarities = model::similarities();
  nn::ComputePtr compute = nn::default_compute();
};

/// One direction of a pair: the edited source and its target.
struct Direction {
  Tensor e;       // [B, d] raw embedding of the source
  Tensor e_hat;   // [B, edited] the output of the editor
  Tensor target;  // [B, d] embedding of the other view
};

/// The loss that draws e_hat to its target and prevents collapse.
class Objective : public torch::nn::Module {
 public:
  /// The loss of one direction, or of both.
  virtual Tensor loss(const Direction& forward, const std::optional<Direction>& backward) = 0;
  /// Maps an edited embedding to the space of targets: psi_1.
  virtual Tensor predict(const Tensor& e_hat) = 0;
  /// Maps an embedding to the form that the objective compares: psi. On the hypersphere it
  /// normalises.
  virtual Tensor psi(const Tensor& e) = 0;
  /// Whether targets come from a target network, a moving average of the encoder without gradient.
  virtual bool distils() const { return false; }
  /// The momentum of the target network at training step 1, 2, ... of `horizon`.
  virtual double momentum(int64_t /*step*/, int64_t /*horizon*/) const { return 0; }
  /// Metrics of its learned weights, as the last loss used them, for the log.
  virtual std::vector<std::pair<Metric, Tensor>> learned() const { return {}; }
  /// The number of candidates of a row, including the positive: its log bounds the information that
  /// the loss can show. 0 if there is no such bound.
  virtual int64_t candidates(int64_t batch) const = 0;
  /// Bytes for a batch beyond the activations of its own and other networks, for the estimate of
  /// memory.
  virtual double bytes(int64_t batch, bool symmetric) const = 0;
};

using ObjectiveEntry = Entry<Objective, const ObjectiveContext&>;
const std::vector<ObjectiveEntry>& objectives();

}  // namespace adassl::model
