#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adassl/core/metric.h"
#include "adassl/core/table.h"
#include "adassl/model/similarity.h"
#include "adassl/nn/torch.h"

namespace adassl::model {

struct ObjectiveContext {
  int64_t embedding = 0;  // d
  int64_t edited = 0;     // width of e_hat: d, or more where an editor hands r over as it is
  bool hypersphere = true;
  Config* config = nullptr;  // for parts of its own, such as the similarity
  std::vector<SimilarityEntry> similarities = model::similarities();
};

/// One direction of a pair: what the source became, and what it has to meet.
struct Direction {
  Tensor e;       // [B, d] embedding of the source, as the encoder gave it
  Tensor e_hat;   // [B, edited] the same after the editor
  Tensor target;  // [B, d] embedding of the other view
};

/// What makes e_hat meet its target without collapse?
class Objective : public torch::nn::Module {
 public:
  /// The loss of one direction, or of both.
  virtual Tensor loss(const Direction& forward, const std::optional<Direction>& backward) = 0;
  /// Where an edited embedding is expected in target space: psi_1.
  virtual Tensor predict(const Tensor& e_hat) = 0;
  /// An embedding as the objective compares it: psi. Normalised on the hypersphere.
  virtual Tensor psi(const Tensor& e) = 0;
  /// Targets come from a copy of the encoder that follows it slowly, and send no gradient back.
  virtual bool distils() const { return false; }
  /// How much of the copy stays at training step 1, 2, ... of `horizon`.
  virtual double momentum(int64_t /*step*/, int64_t /*horizon*/) const { return 0; }
  /// What is logged of its learned weights, as the last loss used them.
  virtual std::vector<std::pair<Metric, Tensor>> learned() const { return {}; }
  /// How many candidates a positive competes with, itself included: log of it bounds the
  /// information the loss can show. 0 where that makes no sense.
  virtual int64_t candidates(int64_t batch) const = 0;
  /// Bytes for a batch beyond the networks' activations: the memory estimate asks.
  virtual double bytes(int64_t batch, bool symmetric) const = 0;
};

using ObjectiveEntry = Entry<Objective, const ObjectiveContext&>;
const std::vector<ObjectiveEntry>& objectives();

}  // namespace adassl::model
