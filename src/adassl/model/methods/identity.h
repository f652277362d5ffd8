#pragma once

#include "adassl/core/error.h"
#include "adassl/model/capabilities.h"
#include "adassl/model/method.h"

namespace adassl::model {

/// No learning at all: the observation is its own embedding, and where x+ is expected nothing has
/// changed. The tables' first row, and the calibration of the data.
class Identity final : public Method, public Predicts {
 public:
  Loss forward(const Views&, int64_t, const random::Stream&) override {
    throw Error("[identity] there is nothing to train");
  }
  Tensor embed(const Tensor& x) override { return x.flatten(1); }
  Tensor represent(const Tensor& x) override { return x.flatten(1); }
  Tensor encode(const Tensor& x) override { return x.flatten(1); }
  Tensor project(const Tensor& representation) override { return representation; }
  Tensor imagine_r(const Tensor& e, const random::Stream&) override {
    return torch::zeros({e.size(0), 0}, e.options());
  }
  Tensor predict(const Tensor& e, const Tensor&) override { return e; }
  Tensor target(const Tensor& x_plus) override { return x_plus.flatten(1); }
  int64_t r_width() const override { return 0; }
  double bytes(int64_t) const override { return 0; }
};

}  // namespace adassl::model
