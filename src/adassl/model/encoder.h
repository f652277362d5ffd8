#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adassl/core/error.h"
#include "adassl/core/table.h"
#include "adassl/model/decoder.h"
#include "adassl/nn/compute.h"

namespace adassl::model {

/// What the rest of the model fixes about an encoder.
struct EncoderContext {
  std::vector<int64_t> observation;  // shape of one x
  bool hypersphere = true;           // embeddings will be normalised
  nn::ComputePtr compute = nn::default_compute();
};

/// x -> representation -> embedding e. Without a projector, the two are the same.
class Encoder : public torch::nn::Module {
 public:
  /// x is float32, or bytes where the data consists of images.
  virtual Tensor represent(const Tensor& x) = 0;  // [B, ...] -> [B, D]
  /// Several views. An encoder may process them in one pass, but BatchNorm statistics are computed
  /// for each view separately.
  virtual std::vector<Tensor> represent(const std::vector<Tensor>& views) {
    std::vector<Tensor> out;
    for (const Tensor& view : views) out.push_back(represent(view));
    return out;
  }
  virtual Tensor project(const Tensor& representation) { return representation; }  // -> [B, d]
  virtual int64_t embedding_width() const = 0;
  /// For the estimate of memory: of one view.
  virtual nn::Footprint footprint() const = 0;
  /// A decoder with the layers of this encoder in reverse order, from vectors of width `in` to
  /// observations. Error if this kind of encoder has none.
  virtual std::shared_ptr<Decoder> mirror(int64_t /*in*/) const {
    throw Error(
        "[encoder] expected an encoder that a decoder can mirror (mlp, resnet), got another");
  }
  /// After the parameters were drawn: replaces them by those of files that the options name, if
  /// any. Returns lines for the log.
  virtual std::vector<std::string> start_from_files() { return {}; }
  /// What a file of the weights must say because names and shapes do not: its metadata.
  virtual std::map<std::string, std::string> facts() const { return {}; }

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
