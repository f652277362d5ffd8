#pragma once

#include "adassl/core/error.h"
#include "adassl/model/latent.h"
#include "adassl/nn/layers.h"
#include "adassl/parts/latents.h"

namespace adassl::model {

/// +GT: r is the true change that the data provides, or an affine map of it, at no cost. It is an
/// upper bound on the benefit of a latent. The imagined r means no change, since the change is
/// unknown.
class Given final : public Latent {
 public:
  using Options = parts::GivenOptions;

  Given(const Options& options, const LatentContext& context)
      : change_(context.change), dim_(options.dim > 0 ? options.dim : context.change) {
    ADASSL_CHECK(change_ > 0,
                 "[latent] given: expected data that provides the true change, got a source "
                 "that does not");
    if (options.dim > 0) {
      affine_ = register_module("affine", std::make_shared<nn::Linear>(change_, dim_, true));
    }
  }
  Draw infer(const Evidence& evidence, const random::Stream&) override {
    const Tensor r = affine_ ? affine_->forward(evidence.change) : evidence.change;
    return {r, torch::zeros_like(r), {}};
  }
  Tensor imagine(const Tensor& e, const random::Stream& noise) override {
    return infer({e, {}, torch::zeros({e.size(0), change_}, e.options())}, noise).r;
  }
  int64_t dim() const override { return dim_; }
  bool needs_change() const override { return true; }

 private:
  int64_t change_;
  int64_t dim_;
  std::shared_ptr<nn::Linear> affine_;
};

}  // namespace adassl::model
