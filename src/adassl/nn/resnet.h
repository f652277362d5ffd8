#pragma once

#include "adassl/nn/network.h"

namespace adassl::nn {

/// How a picture enters a residual network.
enum class Stem {
  kSmall,        // 3 x 3, for pictures of up to 64 pixels
  kLarge,        // 7 x 7 with stride 2
  kTorchvision,  // 7 x 7 with stride 2, then the largest of 3 x 3 with stride 2
};

struct ResNetShape {
  int64_t depth = 18;  // 18 or 50
  int64_t width = 64;  // channels of the first of the four stages; each next one has twice as many
  Stem stem = Stem::kSmall;
  bool zero_gain = true;  // of the last norm of each block at first: a block begins as its shortcut
};

/// A residual network (He et al., 2016), from a picture to a vector of `width * 8` numbers (depth
/// 18) or `width * 32` (depth 50), with the parameter names of torchvision:
///
///   stem | stage 1, 2, 3, 4 of 2 2 2 2 (depth 18) or 3 4 6 3 blocks (depth 50) | mean of all
///   pixels
///
/// The stages 2 to 4 begin with stride 2. A block is relu(body(x) + x), where x passes a 1 x 1
/// convolution and a norm if its size changes. Depth 18: the body is 3 x 3, 3 x 3. Depth 50: 1 x 1,
/// 3 x 3 with the stride, 1 x 1 to four times the channels.
Network resnet(const ResNetShape& shape);

}  // namespace adassl::nn
