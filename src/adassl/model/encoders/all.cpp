#include "adassl/model/encoder.h"
#include "adassl/model/encoders/mlp.h"

namespace adassl::model {

const std::vector<EncoderEntry>& encoders() {
  static const std::vector<EncoderEntry> table = {
      entry<MlpEncoder, Encoder, const EncoderContext&>(),
  };
  return table;
}

}  // namespace adassl::model
