#pragma once

#include "adassl/nn/network.h"

namespace adassl::model {

/// The way back from a vector to an observation. It mirrors an encoder, which makes it
/// (Encoder::mirror).
class Decoder : public torch::nn::Module {
 public:
  /// z [B, in] -> [B, ...], of the shape of an observation; the numbers are not bounded.
  virtual Tensor decode(const Tensor& z) = 0;
  /// For the memory estimate.
  virtual nn::Footprint footprint() const = 0;
};

}  // namespace adassl::model
