#pragma once

#include "adassl/core/error.h"
#include "adassl/model/capabilities.h"
#include "adassl/model/method.h"
#include "adassl/nn/tensors.h"

namespace adassl::model {

/// No learning at all: the observation is its own embedding, and x+ is imagined to look like x.
/// This is the first row of the paper's tables, and it calibrates the data.
class Identity final : public Method, public Imagines {
 public:
  Loss forward(const Views&, int64_t, const random::Stream&) override {
    throw Error("[identity] there is nothing to train");
  }
  Tensor embed(const Tensor& x) override { return nn::unit_pixels(x).flatten(1); }
  Tensor represent(const Tensor& x) override { return embed(x); }
  /// Nothing changes, as a weather forecast by persistence says.
  Tensor imagine(const Tensor& x, const random::Stream&) override { return embed(x); }
};

}  // namespace adassl::model
