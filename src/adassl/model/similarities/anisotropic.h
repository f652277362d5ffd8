#pragma once

#include "adassl/model/similarities/softplus.h"
#include "adassl/model/similarity.h"
#include "adassl/parts/similarities.h"

namespace adassl::model {

/// One learned weight for each dimension, starting at 1.                               AnInfoNCE
class Anisotropic final : public Similarity {
 public:
  using Options = parts::AnisotropicOptions;
  Anisotropic(const Options&, const SimilarityContext& context)
      : raw_(register_parameter(
            "raw", torch::full({context.embedding}, kSoftplusInverseOfOne, torch::kFloat32))) {}
  Tensor concentration(const Tensor&) override { return torch::softplus(raw_); }

 private:
  Tensor raw_;  // [d]
};

}  // namespace adassl::model
