#pragma once

#include "adassl/model/encoder.h"
#include "adassl/nn/built_network.h"
#include "adassl/nn/mlp.h"
#include "adassl/nn/resnet.h"
#include "adassl/parts/encoders.h"
#include "adassl/storage/safetensors.h"

namespace adassl::model {

/// Images [B, C, H, W] -> a residual network (nn/resnet.h) -> representation [B, 8 width] or, for
/// depth 50, [B, 32 width] -> a projector [B, out].
///
/// Images are bytes, or floats in [0, 1]. They are normalised here, (x - mean) / deviation for each
/// channel. Both are buffers, so that whoever uses the weights normalises alike. They are those of
/// the configuration; otherwise those of the file of init_from, if it has them; otherwise 0.5,
/// 0.25.
class ResNet final : public Encoder {
 public:
  using Options = parts::ResNetOptions;

  ResNet(const Options& options, const EncoderContext& context);
  Tensor represent(const Tensor& x) override;
  Tensor project(const Tensor& representation) override;
  int64_t embedding_width() const override;
  std::shared_ptr<Decoder> mirror(int64_t in) const override;
  nn::Footprint footprint() const override;
  std::vector<std::string> start_from_files() override;
  /// The stem: a max pooling has no weights.
  std::map<std::string, std::string> facts() const override;

 private:
  /// How images are normalised after training has begun with a file. Lines for the log.
  std::vector<std::string> take_normalisation(const storage::Safetensors& file);

  Options options_;
  nn::ComputePtr compute_;
  nn::Stem stem_;
  nn::BuiltNetwork network_;
  std::shared_ptr<nn::Mlp> projector_;  // null: none
  Tensor mean_, deviation_;             // [C]
};

}  // namespace adassl::model
