#include "adassl/evaluation/probes.h"

#include <algorithm>

#include "adassl/evaluation/blocks.h"
#include "adassl/evaluation/least_squares.h"
#include "adassl/evaluation/logistic.h"
#include "adassl/evaluation/neighbours.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

/// What is known of samples, in double precision; what a source does not know stays undefined.
struct Seen {
  Tensor representation;  // [N, D]
  Tensor embedding;       // [N, d]
  Tensor factors;         // [N, F]
  Tensor labels;          // [N]
};

Seen look(const Subject& subject, const Samples& samples) {
  model::Method& method = subject.method;
  const Tensor representation =
      in_blocks(nn::view(samples.x), [&](const Tensor& block) { return method.represent(block); });
  Seen out;
  out.representation = representation.to(torch::kFloat64);
  out.embedding = in_blocks(representation, [&](const Tensor& block) {
                    return method.project(block);
                  }).to(torch::kFloat64);
  if (!samples.factors.empty()) out.factors = nn::view(samples.factors).to(torch::kFloat64);
  if (!samples.labels.empty()) out.labels = torch::tensor(samples.labels, torch::kInt64);
  return out;
}

Tensor joined(const std::vector<Seen>& parts, Tensor Seen::*field) {
  std::vector<Tensor> tensors;
  for (const Seen& part : parts) {
    if ((part.*field).defined()) tensors.push_back(part.*field);
  }
  return tensors.empty() ? Tensor() : torch::cat(tensors);
}

/// Fresh samples can be drawn piece by piece.
Seen training_samples(const Subject& subject, int64_t count) {
  const std::string population = subject.source.populations().front();
  std::vector<Seen> parts;
  for (const int64_t rows : pieces(subject.source, count)) {
    const auto stream = subject.stream("probes/train", parts.size());
    parts.push_back(look(subject, subject.source.samples(population, stream, rows)));
  }
  return {joined(parts, &Seen::representation), joined(parts, &Seen::embedding),
          joined(parts, &Seen::factors), joined(parts, &Seen::labels)};
}

/// A held-out population may be a fixed list, of which every call tells the beginning: one call.
Seen test_samples(const Subject& subject, int64_t count) {
  const data::Source& source = subject.source;
  const std::string population = subject.watching ? source.watched() : source.held_out();
  const int64_t there = source.fixed_size(population).value_or(count);
  return look(subject,
              source.samples(population, subject.stream("probes/test"), std::min(count, there)));
}

double accuracy(const Tensor& predicted, const Tensor& labels) {
  return (predicted == labels).to(torch::kFloat64).mean().item<double>();
}

}  // namespace

void Probes::run(const Subject& subject, Results& results) const {
  const data::Source::Shape shape = subject.source.shape();
  if (shape.classes == 0 && shape.factors == 0) return;
  const Seen train = training_samples(subject, options_.train_samples);
  const Seen test = test_samples(subject, options_.test_samples);
  const auto probe = [&](const std::string& name, const Tensor& fit, const Tensor& score) {
    if (shape.factors > 0) {
      const Tensor r2 = r_squared(least_squares(fit, train.factors)(score), test.factors);
      results.metrics[name + "_r2"] = r2.mean().item<double>();
      const double* values = r2.data_ptr<double>();
      results.vectors[name + "_r2_per_factor"] = {values, values + r2.numel()};
    }
    if (shape.classes > 0) {
      const Classifier classifier =
          fit_logistic(fit, train.labels, shape.classes,
                       {options_.l2, options_.max_iterations, options_.tolerance});
      results.metrics[name + "_accuracy"] = accuracy(classifier.classify(score), test.labels);
      results.metrics[name + "_converged"] = classifier.converged ? 1 : 0;
      results.metrics[name + "_knn"] =
          accuracy(vote(score, fit, train.labels, shape.classes, options_.neighbours), test.labels);
    }
  };
  probe("representation", train.representation, test.representation);
  probe("embedding", train.embedding, test.embedding);
}

}  // namespace adassl::evaluation
