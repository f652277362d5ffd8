#include "adassl/nn/resnet.h"

#include <array>

#include "adassl/core/error.h"

/// The list of layers of a residual network, from an image [C, H, W] to a vector. With w = width:
///
///   stem                           [w, H, W], halved once (large) or twice (torchvision)
///   stage 1, ..., 4                stage s has w 2^(s-1) channels, and halves the picture if s > 1
///   a block of depth 18            relu(norm(3x3(relu(norm(3x3/stride(x))))) + shortcut(x))
///   a block of depth 50            relu(norm(1x1(relu(norm(3x3/stride(relu(norm(1x1(x)))))))) +
///                                  shortcut(x)), with four times the channels of the stage
///   mean over the pixels           [8 w], or [32 w] for depth 50
///
/// shortcut(x) is x, or norm(1x1/stride(x)) where the block changes the size.
namespace adassl::nn {
namespace {

Layer convolve(const std::string& name, int64_t out, int64_t kernel, int64_t stride = 1) {
  return convolution(name, out, kernel, stride, Init::kKaimingNormal);
}

Network stem(const ResNetShape& shape) {
  if (shape.stem == Stem::kSmall) return {convolve("conv1", shape.width, 3), norm("bn1"), relu()};
  Network out = {convolve("conv1", shape.width, 7, 2), norm("bn1"), relu()};
  if (shape.stem == Stem::kTorchvision) out.push_back(max_pool(3, 2));
  return out;
}

/// The body of a block for depth 18: convolutions 3 x 3 with the stride, 3 x 3. `at` is the prefix
/// of the names.
Network basic_body(const std::string& at, int64_t width, int64_t stride, bool zero_gain) {
  return {convolve(at + "conv1", width, 3, stride), norm(at + "bn1"), relu(),
          convolve(at + "conv2", width, 3), norm(at + "bn2", zero_gain)};
}

/// The body of a block for depth 50: convolutions 1 x 1, 3 x 3 with the stride, 1 x 1 to 4 * width.
Network bottleneck_body(const std::string& at, int64_t width, int64_t stride, bool zero_gain) {
  return {convolve(at + "conv1", width, 1),         norm(at + "bn1"),           relu(),
          convolve(at + "conv2", width, 3, stride), norm(at + "bn2"),           relu(),
          convolve(at + "conv3", 4 * width, 1),     norm(at + "bn3", zero_gain)};
}

}  // namespace

Network resnet(const ResNetShape& shape) {
  ADASSL_CHECK(shape.depth == 18 || shape.depth == 50, "[resnet] depth: expected 18 or 50, got ",
               shape.depth);
  const bool deep = shape.depth == 50;
  const std::array<int, 4> blocks = deep ? std::array{3, 4, 6, 3} : std::array{2, 2, 2, 2};
  Network out = stem(shape);
  int64_t channels = shape.width;  // of the input of the next block
  int64_t width = shape.width;     // of the stage
  for (size_t stage = 0; stage < blocks.size(); ++stage, width *= 2) {
    for (int block = 0; block < blocks[stage]; ++block) {
      const std::string at = join("layer", stage + 1, ".", block, ".");
      const int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      const int64_t wider = deep ? 4 * width : width;
      Network shortcut;
      if (stride > 1 || channels != wider) {
        shortcut = {convolve(at + "downsample.0", wider, 1, stride), norm(at + "downsample.1")};
      }
      out.push_back(residual(deep ? bottleneck_body(at, width, stride, shape.zero_gain)
                                  : basic_body(at, width, stride, shape.zero_gain),
                             std::move(shortcut)));
      channels = wider;
    }
  }
  out.push_back(mean_pool());
  out.push_back(flatten());
  return out;
}

}  // namespace adassl::nn
