#include "adassl/evaluation/evaluation.h"

#include <algorithm>
#include <utility>

#include "adassl/nn/tensors.h"

namespace adassl::evaluation {

Samples Subject::samples(const std::string& population, const std::string& name,
                         const Piece& piece) const {
  if (source.population_size(population)) {
    return source.samples_from(population, stream(name), piece.first, piece.rows);
  }
  return source.samples(population, stream(name, piece.number), piece.rows);
}

Batch Subject::pairs(const std::string& name, const Piece& piece) const {
  if (source.pair_count()) return source.pairs(stream(name), piece.rows, piece.first);
  return source.pairs(stream(name, piece.number), piece.rows);
}

std::vector<Tensor> look_at_scored(const Subject& subject, const std::string& name, int64_t count,
                                   const std::function<std::vector<Tensor>(const Samples&)>& look) {
  const data::Source& source = subject.source;
  const std::string population = subject.scored();
  const int64_t there = source.population_size(population).value_or(count);
  const auto draw = subject.stream(name);
  return in_pieces(source, std::min(count, there), [&](const Piece& piece) {
    return look(source.samples_from(population, draw, piece.first, piece.rows));
  });
}

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
