#include "adassl/model/encoder.h"
#include "adassl/model/encoders/mlp.h"
#include "adassl/model/encoders/resnet.h"
#include "adassl/model/encoders/video_cnn.h"

/// The encoders x [B, ...] -> representation [B, D] -> embedding e [B, d]: the table of contents of
/// this folder.
namespace adassl::model {

const std::vector<EncoderEntry>& encoders() {
  static const std::vector<EncoderEntry> table = {
      entry<MlpEncoder, Encoder, const EncoderContext&>(),
      entry<VideoCnn, Encoder, const EncoderContext&>(),
      entry<ResNet, Encoder, const EncoderContext&>(),
  };
  return table;
}

}  // namespace adassl::model
