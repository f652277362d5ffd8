#pragma once

#include "adassl/model/similarities/softplus.h"
#include "adassl/model/similarity.h"

namespace adassl::model {

/// One weight lambda = softplus(l) for all directions, learned from 1, or fixed at 1.   InfoNCE
class Isotropic final : public Similarity {
 public:
  static constexpr std::string_view kName = "isotropic";
  static constexpr std::string_view kSummary = "one weight for all directions (InfoNCE, AdaSSL)";
  struct Options {
    bool learned = true;
    void visit(Fields& field) { field("learned", learned, "learn the weight, or keep it at 1"); }
  };
  Isotropic(const Options& options, const SimilarityContext&) {
    if (options.learned) raw_ = register_parameter("raw", torch::full({}, kSoftplusInverseOfOne));
  }
  Tensor concentration(const Tensor& e) override {
    return raw_.defined() ? torch::softplus(raw_) : torch::ones({}, e.options());
  }

 private:
  Tensor raw_;  // []
};

}  // namespace adassl::model
