#pragma once

#include <memory>
#include <vector>

#include "adassl/core/random.h"
#include "adassl/core/table.h"
#include "adassl/nn/compute.h"

namespace adassl::model {

struct LatentContext {
  int64_t embedding = 0;  // d, the width of e
  int64_t change = 0;     // width of the true change, 0 if the data does not provide it
  nn::ComputePtr compute = nn::default_compute();
};

/// The inputs from which r is inferred.
struct Evidence {
  Tensor e;       // [B, d] embedding of the source
  Tensor helper;  // [B, d] embedding of the target, or of another view of it
  Tensor change;  // [B, K] the true change; undefined if unknown
};

struct Draw {
  Tensor r;      // [B, d_r]
  Tensor cost;   // [B, d_r] cost of each dimension: its KL, or the probability of an open gate
  Tensor gates;  // [B, d_r] 0 or 1; undefined for latents without gates
};

/// The unit of Draw::cost.
enum class Cost {
  kNone,   // r has no cost or one without a unit, or there is no r
  kNats,   // KL
  kGates,  // probability of an open gate
};

/// How r is obtained and what it costs. A latent without dimensions returns r of shape [B, 0].
class Latent : public torch::nn::Module {
 public:
  /// For training: r from the source and the target.
  virtual Draw infer(const Evidence& evidence, const random::Stream& noise) = 0;
  /// The same for several directions of a pair, so that a network can process all of them in one
  /// pass. The draws are those that successive calls of `infer` would return.
  virtual std::vector<Draw> infer_all(const std::vector<Evidence>& evidence,
                                      const std::vector<random::Stream>& noise) {
    std::vector<Draw> out;
    for (size_t i = 0; i < evidence.size(); ++i) out.push_back(infer(evidence[i], noise[i]));
    return out;
  }
  /// For use after training: r from the source alone.
  virtual Tensor imagine(const Tensor& e, const random::Stream& noise) = 0;
  /// Whether `imagine` depends on its noise.
  virtual bool samples() const { return false; }
  /// The expectation of `imagine` over its noise.
  virtual Tensor expected(const Tensor& e) { return imagine(e, {0, "expected"}); }
  virtual int64_t dim() const = 0;
  virtual Cost cost() const { return Cost::kNone; }
  virtual bool needs_helper() const { return false; }
  virtual bool needs_change() const { return false; }
  /// The weight of the regulariser at training step 1, 2, ...
  virtual double beta(int64_t) const { return 0; }
};

/// reg(r) = the sum of the costs over dimensions, averaged over the batch.
inline Tensor regulariser(const Draw& draw) { return draw.cost.sum(1).mean(); }

/// How much each dimension is used, averaged over batch and directions [d_r]: its KL, or the share
/// of pairs in which its gate is open.
Tensor use_of_dimensions(const std::vector<Draw>& draws, Cost cost);

/// H(rho) = -sum rho log rho in nats, where rho [n] are the non-negative weights divided by their
/// sum; 0 if all weights are 0.
Tensor entropy(const Tensor& weights);

/// beta * t / W while t < W, then beta.
inline double warmed_up(double beta, int64_t step, int64_t warmup_steps) {
  if (step >= warmup_steps) return beta;
  return beta * static_cast<double>(step) / static_cast<double>(warmup_steps);
}

using LatentEntry = Entry<Latent, const LatentContext&>;
const std::vector<LatentEntry>& latents();

}  // namespace adassl::model
