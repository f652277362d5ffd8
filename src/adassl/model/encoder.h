#pragma once

#include <memory>
#include <vector>

#include "adassl/core/table.h"
#include "adassl/nn/torch.h"

namespace adassl::model {

/// What the rest of the model fixes about an encoder.
struct EncoderContext {
  std::vector<int64_t> observation;  // shape of one x
  bool hypersphere = true;           // embeddings will be normalised
};

/// x -> representation -> embedding e. Where an encoder has no projector the two are the same.
class Encoder : public torch::nn::Module {
 public:
  virtual Tensor represent(const Tensor& x) = 0;  // [B, ...] -> [B, D]
  /// Several views; an encoder that can take them in one pass does so. Statistics of a BatchNorm
  /// are each view's own.
  virtual std::vector<Tensor> represent(const std::vector<Tensor>& views) {
    std::vector<Tensor> out;
    for (const Tensor& view : views) out.push_back(represent(view));
    return out;
  }
  virtual Tensor project(const Tensor& representation) { return representation; }  // -> [B, d]
  virtual int64_t embedding_width() const = 0;
  /// Floats kept for the backward pass, for each observation: the memory estimate asks.
  virtual int64_t activations() const = 0;

  Tensor forward(const Tensor& x) { return project(represent(x)); }
  std::vector<Tensor> forward(const std::vector<Tensor>& views) {
    std::vector<Tensor> out = represent(views);
    for (Tensor& e : out) e = project(e);
    return out;
  }
};

using EncoderEntry = Entry<Encoder, const EncoderContext&>;
const std::vector<EncoderEntry>& encoders();

}  // namespace adassl::model
