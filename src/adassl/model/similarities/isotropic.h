#pragma once

#include "adassl/model/similarities/softplus.h"
#include "adassl/model/similarity.h"
#include "adassl/parts/similarities.h"

namespace adassl::model {

/// One weight lambda = softplus(l) for all dimensions, fixed at 1 or learned from 1 on.   InfoNCE
class Isotropic final : public Similarity {
 public:
  using Options = parts::IsotropicOptions;
  Isotropic(const Options& options, const SimilarityContext&) {
    if (options.learned)
      raw_ = register_parameter("raw", torch::full({}, kSoftplusInverseOfOne, torch::kFloat32));
  }
  Tensor concentration(const Tensor& e) override {
    return raw_.defined() ? torch::softplus(raw_) : torch::ones({}, e.options());
  }

 private:
  Tensor raw_;  // []
};

}  // namespace adassl::model
