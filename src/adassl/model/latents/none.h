#pragma once

#include "adassl/model/latent.h"
#include "adassl/parts/latents.h"

namespace adassl::model {

/// No latent variable: r has no dimensions. Plain InfoNCE and its relatives.
class NoLatent final : public Latent {
 public:
  using Options = parts::NoLatentOptions;

  NoLatent(const Options&, const LatentContext&) {}
  Draw infer(const Evidence& evidence, const random::Stream& noise) override {
    const Tensor r = imagine(evidence.e, noise);
    return {r, r, {}};
  }
  Tensor imagine(const Tensor& e, const random::Stream&) override {
    return torch::zeros({e.size(0), 0}, e.options());
  }
  int64_t dim() const override { return 0; }
};

}  // namespace adassl::model
