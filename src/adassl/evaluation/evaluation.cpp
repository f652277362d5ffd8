#include "adassl/evaluation/evaluation.h"

#include <algorithm>
#include <utility>

#include "adassl/data/loader.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {

data::Job<Batch> Subject::job_of_pairs(const random::Stream& from, int64_t count) const {
  if (!watching) return data::job_of_pairs(source, from, count);
  auto made = std::make_shared<Batch>();
  return {made, {count, count, [=, &from_source = source](int64_t, int64_t) {
                   *made = from_source.watched_pairs(from, count);
                 }}};
}

std::vector<Tensor> look_at_samples(const Subject& subject, const std::string& population,
                                    const std::string& name, int64_t count,
                                    const LookAtSamples& look) {
  const data::Source& source = subject.source;
  const bool ends = source.population_size(population).has_value();
  return in_pieces<Samples>(
      pieces(source, count), subject.prefetch,
      [&](const Piece& piece) {
        return data::job_of_samples(source, population,
                                    subject.stream(name, ends ? 0 : piece.number),
                                    ends ? piece.first : 0, piece.rows);
      },
      [&](const Samples& samples, const Piece&) { return look(samples); });
}

std::vector<Tensor> look_at_scored(const Subject& subject, const std::string& name, int64_t count,
                                   const LookAtSamples& look) {
  const data::Source& source = subject.source;
  const std::string population = subject.scored();
  const int64_t there = source.population_size(population).value_or(count);
  const auto draw = subject.stream(name);
  return in_pieces<Samples>(
      pieces(source, std::min(count, there)), subject.prefetch,
      [&](const Piece& piece) {
        return data::job_of_samples(source, population, draw, piece.first, piece.rows);
      },
      [&](const Samples& samples, const Piece&) { return look(samples); });
}

data::Job<Batch> piece_of_pairs(const Subject& subject, const Piece& piece,
                                const std::function<random::Stream(uint64_t number)>& stream_of) {
  const bool ends = subject.source.pair_count().has_value();
  return data::job_of_pairs(subject.source, stream_of(ends ? 0 : piece.number), piece.rows,
                            ends ? piece.first : 0);
}

std::vector<Tensor> look_at_pairs(const Subject& subject, const std::string& name, int64_t count,
                                  const LookAtPairs& look) {
  const auto stream_of = [&](uint64_t number) { return subject.stream(name, number); };
  return in_pieces<Batch>(
      pieces(subject.source, count), subject.prefetch,
      [&](const Piece& piece) { return piece_of_pairs(subject, piece, stream_of); },
      [&](const Batch& batch, const Piece&) { return look(batch); });
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
