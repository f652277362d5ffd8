#include "adassl/evaluation/matching.h"

#include "adassl/evaluation/blocks.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

Metric found(const std::string& name, const std::string& label, const std::string& about,
             int64_t order) {
  return {.name = name,
          .label = label,
          .about = about,
          .better = Better::kHigher,
          .range = kShareRange,
          .section = kLearningSection,
          .order = order};
}

/// Distances of all predictions to all targets, compared with that to a prediction's own target.
struct Compared {
  Tensor nearer, equal;  // bool [N, N]

  Compared(const Tensor& predicted, const Tensor& targets) {
    const Tensor p = predicted.to(torch::kFloat64);
    const Tensor t = targets.to(torch::kFloat64);
    const Tensor distance = torch::cdist(p, t);
    // Equal observations may have embeddings that differ in the last bits.
    const Tensor slack = 1e-6 * (p.norm(2, {1}, true) + t.norm(2, {1}).max());  // [N, 1]
    const Tensor own = distance.diagonal().unsqueeze(1);
    nearer = distance < own - slack;
    equal = (distance - own).abs() <= slack;  // with its own
  }
};

}  // namespace

double share_found(const Tensor& predicted, const Tensor& targets) {
  const Compared others(predicted, targets);
  const Tensor guess = 1.0 / others.equal.sum(1).to(torch::kFloat64);
  return torch::where(others.nearer.any(1), torch::zeros_like(guess), guess).mean().item<double>();
}

double share_nearer(const Tensor& predicted, const Tensor& targets) {
  const Compared others(predicted, targets);
  const auto n = static_cast<double>(predicted.size(0));
  const auto nearer = others.nearer.sum().item<double>();
  const double equal = others.equal.sum().item<double>() - n;
  return 1 - (nearer + equal / 2) / (n * (n - 1));
}

void add_matching(model::Method& method, const Batch& batch, const Tensor& r,
                  const random::Stream& noise, Results& results) {
  auto* predicts = model::offers<model::Predicts>(method);
  if (predicts == nullptr || batch.x.rows() < 2) return;
  const Tensor e =
      in_blocks(nn::view(batch.x), [&](const Tensor& x) { return predicts->encode(x); });
  const Tensor targets =
      in_blocks(nn::view(batch.x_plus), [&](const Tensor& x) { return predicts->target(x); });
  const Tensor from_x = predicts->predict(e, predicts->imagine_r(e, noise));
  results.add(found("found_from_x", "x+ found from x",
                    "how often the prediction from x alone is nearest to its own x+, among those "
                    "of all watched pairs",
                    1),
              share_found(from_x, targets));
  results.add(found("nearer_from_x", "x+ nearer than another",
                    "how often the prediction from x alone is nearer to its own x+ than to that of "
                    "another watched pair; a guess gives 0.5",
                    4),
              share_nearer(from_x, targets));
  if (predicts->r_width() == 0) return;
  results.add(found("found_with_r", "x+ found from x and r",
                    "the same with the r that was inferred from the pair", 2),
              share_found(predicts->predict(e, r), targets));
  results.add(found("found_from_r", "x+ found from r and another x",
                    "the same with the x of another pair: what r tells alone", 3),
              share_found(predicts->predict(e.roll(1, 0), r), targets));
}

}  // namespace adassl::evaluation
