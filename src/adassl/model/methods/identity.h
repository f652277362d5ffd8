#pragma once

#include "adassl/core/error.h"
#include "adassl/model/capabilities.h"
#include "adassl/model/method.h"
#include "adassl/nn/tensors.h"

namespace adassl::model {

/// No learning at all: the observation is its own embedding, and the prediction of x+ is x. This is
/// the first row of the paper's tables, and it calibrates the data.
class Identity final : public Method, public Predicts {
 public:
  Loss forward(const Views&, int64_t, const random::Stream&) override {
    throw Error("[identity] there is nothing to train");
  }
  Tensor embed(const Tensor& x) override { return nn::unit_pixels(x).flatten(1); }
  Tensor represent(const Tensor& x) override { return nn::unit_pixels(x).flatten(1); }
  Tensor encode(const Tensor& x) override { return nn::unit_pixels(x).flatten(1); }
  Tensor project(const Tensor& representation) override { return representation; }
  Tensor imagine_r(const Tensor& e, const random::Stream&) override {
    return torch::zeros({e.size(0), 0}, e.options());
  }
  Tensor expected_r(const Tensor& e) override { return imagine_r(e, {0, "expected"}); }
  bool samples_r() const override { return false; }
  Tensor predict(const Tensor& e, const Tensor&) override { return e; }
  Tensor target(const Tensor& x_plus) override { return nn::unit_pixels(x_plus).flatten(1); }
  int64_t r_width() const override { return 0; }
  double bytes(int64_t) const override { return 0; }
};

}  // namespace adassl::model
