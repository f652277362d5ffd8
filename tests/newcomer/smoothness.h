#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/nn/tensors.h"

namespace newcomer {

using namespace adassl;

/// An evaluation of one's own: how far pairs lie apart, as a share of the spread of all.
class Smoothness final : public evaluation::Evaluation {
 public:
  struct Options {
    static constexpr std::string_view kName = "smoothness";
    static constexpr std::string_view kSummary = "distance of pairs, relative to the spread of all";
    int64_t pairs = 256;
    void visit(Fields& field) { field("pairs", pairs, "number of pairs", {2, 1e6}); }
  };
  explicit Smoothness(const Options& options) : options_(options) {}

  void run(const evaluation::Subject& subject, evaluation::Results& results) const override {
    const Batch batch = subject.source.pairs(subject.stream("smoothness"), options_.pairs);
    const Tensor a = evaluation::embed(subject.method, batch.x);
    const Tensor b = evaluation::embed(subject.method, batch.x_plus);
    const double apart = (a - b).square().sum(1).mean().item<double>();
    const double spread = (a - a.mean(0)).square().sum(1).mean().item<double>();
    results.add({.name = "smoothness",
                 .label = "distance of pairs",
                 .about = "relative to the spread of all",
                 .better = Better::kLower,
                 .section = kResultsSection},
                apart / spread);
  }

 private:
  Options options_;
};

}  // namespace newcomer
