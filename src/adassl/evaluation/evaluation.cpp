#include "adassl/evaluation/evaluation.h"

#include <utility>

#include "adassl/evaluation/blocks.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {

std::string ask(const Evaluation& evaluation, const Subject& subject, Results& results) {
  const std::string obstacle = evaluation.obstacle(subject);
  if (obstacle.empty()) evaluation.run(subject, results);
  return obstacle;
}

void Results::add(const Metric& metric, double value) {
  metrics[metric.name] = value;
  descriptions[metric.name] = metric;
}

void Results::add(const Metric& metric, std::vector<double> values) {
  vectors[metric.name] = std::move(values);
  descriptions[metric.name] = metric;
}

Metric per_factor(const Metric& mean, const std::vector<std::string>& names) {
  Metric out = mean;
  out.name += "_per_factor";
  out.entries = names;
  out.section = kFactorsSection;
  out.order = 0;
  return out;
}

Frozen::Frozen(model::Method& method) : method_(method), was_training_(method.is_training()) {
  method.eval();
}

Frozen::~Frozen() { method_.train(was_training_); }

Tensor embed(model::Method& method, const Array& x) {
  return in_blocks(nn::view(x),
                   [&](const Tensor& block) { return method.embed(block).to(torch::kFloat64); });
}

}  // namespace adassl::evaluation
