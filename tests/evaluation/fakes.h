#pragma once

#include <functional>

#include "adassl/core/error.h"
#include "adassl/evaluation/evaluation.h"
#include "adassl/nn/tensors.h"

/// Methods and sources with known results. Tests override the functions that they examine.
namespace adassl::testing {

/// Embeddings, predictions and targets are the observation itself, and there is no r.
class FakeMethod : public model::Method, public model::Predicts {
 public:
  model::Loss forward(const model::Views&, int64_t, const random::Stream&) override {
    throw Error("[fake] there is nothing to train");
  }
  Tensor embed(const Tensor& x) override { return encode(x); }
  Tensor encode(const Tensor& x) override { return project(represent(x)); }
  Tensor represent(const Tensor& x) override { return x.flatten(1); }
  Tensor project(const Tensor& representation) override { return representation; }
  Tensor imagine_r(const Tensor& e, const random::Stream&) override {
    return torch::zeros({e.size(0), r_width()}, e.options());
  }
  Tensor expected_r(const Tensor& e) override { return imagine_r(e, {0, "expected"}); }
  bool samples_r() const override { return false; }
  Tensor predict(const Tensor& e, const Tensor&) override { return e; }
  Tensor target(const Tensor& x_plus) override { return x_plus.flatten(1); }
  int64_t r_width() const override { return 0; }
  double bytes(int64_t) const override { return 0; }
};

/// A source without factors, classes or futures.
class FakeSource : public data::PairwiseSource {
 public:
  Shape shape() const override { return {.observation = {2}}; }
  void make_pair(int64_t, random::Sequence, const data::PairPlace&) const override {
    throw Error("there are no pairs");
  }
  std::vector<std::string> populations() const override { return {"seen"}; }
  Samples samples(const std::string&, const random::Stream&, int64_t) const override {
    throw Error("[fake] no samples");
  }
};

template <class Suite>
evaluation::Results results_of(const Suite& suite, model::Method& method,
                               const data::Source& source,
                               const nn::ComputePtr& compute = nn::default_compute()) {
  const evaluation::Frozen frozen(method);
  evaluation::Results results;
  const evaluation::Subject subject{
      .method = method, .source = source, .seed = 1, .compute = compute};
  evaluation::ask(suite, subject, results);
  return results;
}

/// An array of rows, each given by its values.
inline Array array_of(const std::vector<std::vector<double>>& rows) {
  Array out =
      make_array({static_cast<int64_t>(rows.size()), static_cast<int64_t>(rows.at(0).size())});
  size_t at = 0;
  for (const auto& row : rows) {
    for (const double value : row) out.values[at++] = static_cast<float>(value);
  }
  return out;
}

inline Tensor draws(int64_t rows, int64_t columns, const char* name) {
  return nn::normal(rows, columns, {1, name}, torch::empty({0}, torch::kFloat64));
}

}  // namespace adassl::testing
