#pragma once

#include "adassl/nn/network.h"

namespace adassl::nn {

/// The first layers of a residual network.
enum class Stem {
  kSmall,        // 3 x 3 convolution, for images of up to 64 x 64 pixels
  kLarge,        // 7 x 7 convolution with stride 2
  kTorchvision,  // 7 x 7 convolution with stride 2, then 3 x 3 max pooling with stride 2
};

struct ResNetShape {
  int64_t depth = 18;  // 18 or 50
  int64_t width = 64;  // channels of the first of four stages; each later stage doubles it
  Stem stem = Stem::kSmall;
  // Whether the gain of the last norm of each block is initialised to 0. Each block then starts as
  // its shortcut followed by ReLU.
  bool zero_gain = true;
};

/// A residual network (He et al., 2016), with the parameter names of torchvision. It maps an image
/// [C, H, W] to a vector: [8 width] for depth 18, [32 width] for depth 50.
///
///              blocks in stages 1 to 4    convolutions of a block's body
///   depth 18   2, 2, 2, 2                 3 x 3, 3 x 3
///   depth 50   3, 4, 6, 3                 1 x 1, 3 x 3, 1 x 1 to four times the channels
///
/// The stem comes before the stages, and the mean over all pixels after them. A block computes
/// relu(body(x) + shortcut(x)). The shortcut is the identity if the block keeps the size of x, and
/// otherwise a 1 x 1 convolution with a norm. The first block of each of the stages 2 to 4 has
/// stride 2, in its first 3 x 3 convolution and in its shortcut.
Network resnet(const ResNetShape& shape);

/// The mirror image of a residual network of depth 18 for images of this size: from a vector to
/// [C, H, W].
///
///   linear, reshape   to the size of the last feature map, which the mean has no inverse for
///   stages 4 to 1     two blocks each, with the widths and sizes of the encoder's stages
///   upsampling        one for each stride of the stem
///   convolution       3 x 3, to the channels of the image, without norm or ReLU
///
/// The last block of each of the stages 4 to 2 leads to the next stage: nearest upsampling, then a
/// convolution 3 x 3 to half of the channels, in the body and in the shortcut.
Network mirrored_resnet(const ResNetShape& shape, const Size& image);

}  // namespace adassl::nn
