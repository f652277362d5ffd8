#include "adassl/model/objectives/lie.h"

#include "adassl/core/error.h"

namespace adassl::model {
namespace {

Metric term(const std::string& name, const std::string& label) {
  return {.name = name, .label = label, .better = Better::kLower};
}

}  // namespace

Tensor detour(const Tensor& e, const Tensor& e_hat, const Tensor& target) {
  const auto distance = [&](const Tensor& from) { return (from - target).square().sum(1); };
  return (distance(e_hat) - distance(e)).clamp_min(0).mean();
}

LieObjective::LieObjective(const Options& options, const ObjectiveContext& context)
    : options_(options) {
  ADASSL_CHECK(context.edited == context.embedding,
               "[objective] lie: expected an editor that keeps the width of the embedding, ",
               context.embedding, ", got one that makes it ", context.edited);
  contrastive_ = register_module("contrastive", std::make_shared<Contrastive>(options, context));
}

Tensor LieObjective::detour_of(const Direction& direction) {
  return detour(psi(direction.e), psi(direction.e_hat), psi(direction.target));
}

Tensor LieObjective::loss(const Direction& forward, const std::optional<Direction>& backward) {
  const auto still = [](const Direction& of) { return Direction{of.e, of.e, of.target}; };
  std::optional<Direction> still_backward;
  if (backward) still_backward = still(*backward);
  const Tensor plain = contrastive_->loss(still(forward), still_backward);
  const Tensor transported = contrastive_->loss(forward, backward);
  Tensor hinge = detour_of(forward);
  if (backward) hinge = (hinge + detour_of(*backward)) / 2;
  plain_ = plain.detach();
  transported_ = transported.detach();
  detour_ = hinge.detach();
  return plain + options_.transported * transported + options_.detour * hinge;
}

std::vector<std::pair<Metric, Tensor>> LieObjective::learned() const {
  std::vector<std::pair<Metric, Tensor>> out = contrastive_->learned();
  if (!plain_.defined()) return out;
  out.emplace_back(term("ssl_plain", "InfoNCE of the embeddings"), plain_);
  out.emplace_back(term("ssl_transported", "InfoNCE of the transported embeddings"), transported_);
  out.emplace_back(term("detour", "distance that transport adds"), detour_);
  return out;
}

}  // namespace adassl::model
