#pragma once

#include "adassl/core/error.h"
#include "adassl/model/latent.h"

namespace adassl::model {

/// +GT: r is the true change that the data tells, at no cost. An upper bound for what a latent
/// could bring. Imagining means no change, since nobody tells one.
class Given final : public Latent {
 public:
  static constexpr std::string_view kName = "given";
  static constexpr std::string_view kSummary = "r is the true change, as the data tells it (+GT)";
  struct Options {
    void visit(Fields&) {}
  };

  Given(const Options&, const LatentContext& context) : dim_(context.change) {
    ADASSL_CHECK(dim_ > 0,
                 "[latent] given: expected data that tells the true change, got a source "
                 "that does not");
  }
  Draw infer(const Evidence& evidence, const random::Stream&) override {
    return {evidence.change, torch::zeros_like(evidence.change), {}};
  }
  Tensor imagine(const Tensor& e, const random::Stream&) override {
    return torch::zeros({e.size(0), dim_}, e.options());
  }
  int64_t dim() const override { return dim_; }
  bool needs_change() const override { return true; }

 private:
  int64_t dim_;
};

}  // namespace adassl::model
