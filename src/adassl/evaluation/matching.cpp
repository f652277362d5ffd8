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

}  // namespace

double share_found(const Tensor& predicted, const Tensor& targets) {
  const Tensor p = predicted.to(torch::kFloat64);
  const Tensor t = targets.to(torch::kFloat64);
  const Tensor distance = torch::cdist(p, t);  // [N, N]
  // Equal observations may have embeddings that differ in the last bits.
  const Tensor slack = 1e-6 * (p.norm(2, {1}, true) + t.norm(2, {1}).max());  // [N, 1]
  const Tensor own = distance.diagonal().unsqueeze(1);
  const Tensor nearer = (distance < own - slack).any(1);
  const Tensor equal = ((distance - own).abs() <= slack).sum(1);  // with its own
  return torch::where(nearer, torch::zeros_like(p.select(1, 0)), 1.0 / equal.to(torch::kFloat64))
      .mean()
      .item<double>();
}

void add_matching(model::Method& method, const Batch& batch, const Tensor& r,
                  const random::Stream& noise, Results& results) {
  auto* predicts = model::offers<model::Predicts>(method);
  if (predicts == nullptr || batch.x.rows() < 2) return;
  const Tensor e =
      in_blocks(nn::view(batch.x), [&](const Tensor& x) { return predicts->encode(x); });
  const Tensor targets =
      in_blocks(nn::view(batch.x_plus), [&](const Tensor& x) { return predicts->target(x); });
  const Tensor imagined = predicts->imagine_r(e, noise);
  results.add(found("found_from_x", "x+ found from x",
                    "how often the prediction from x alone is nearest to its own x+, among those "
                    "of all watched pairs",
                    1),
              share_found(predicts->predict(e, imagined), targets));
  if (predicts->r_width() == 0) return;
  results.add(found("found_with_r", "x+ found from x and r",
                    "the same with the r that was inferred from the pair", 2),
              share_found(predicts->predict(e, r), targets));
  results.add(found("found_from_r", "x+ found from r and another x",
                    "the same with the x of another pair: what r tells alone", 3),
              share_found(predicts->predict(e.roll(1, 0), r), targets));
}

}  // namespace adassl::evaluation
