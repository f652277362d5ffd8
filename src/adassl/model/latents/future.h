#pragma once

#include "adassl/model/latent.h"
#include "adassl/parts/latents.h"

namespace adassl::model {

/// +Future: r is the embedding of the helper view itself, at no cost. It may contain all
/// information about x+. To imagine r, the future is assumed to look like x.
class Future final : public Latent {
 public:
  using Options = parts::FutureOptions;

  Future(const Options&, const LatentContext& context) : dim_(context.embedding) {}
  Draw infer(const Evidence& evidence, const random::Stream&) override {
    return {evidence.helper, torch::zeros_like(evidence.helper), {}};
  }
  Tensor imagine(const Tensor& e, const random::Stream&) override { return e; }
  int64_t dim() const override { return dim_; }
  bool needs_helper() const override { return true; }

 private:
  int64_t dim_;
};

}  // namespace adassl::model
