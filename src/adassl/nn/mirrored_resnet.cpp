#include <ranges>
#include <utility>

#include "adassl/core/error.h"
#include "adassl/nn/resnet.h"

/// The list of layers of a decoder, from a vector [z] to an image [C, H, W]. With w = width and the
/// pictures of the encoder's stages, [w 2^(s-1), H_s, W_s]:
///
///   linear, reshape    [z] -> [8 w, H_4, W_4]
///   stage 4, ..., 1    a block that keeps the size, and one to the size of stage s - 1:
///                      relu(norm(3x3(up(relu(norm(3x3(x)))))) + norm(3x3(up(x))));
///                      for stage 1, a second block that keeps the size
///   up                 once for each layer of the stem that has a stride
///   convolution 3x3    [w, H, W] -> [C, H, W]
///
/// up repeats each pixel twice along both axes, without the last repetition where the size is odd.
namespace adassl::nn {
namespace {

constexpr int kBlocks = 2;  // in each stage of depth 18

/// Where the encoder's layers with a stride come from, and where its stages end.
struct Grids {
  std::vector<Grid> before_strides;  // those of the stem
  std::vector<Grid> stages;
};

Grids grids_of(const ResNetShape& shape, const Size& image) {
  Grids out;
  Size size = image;
  int blocks = 0;
  for (const Layer& layer : resnet(shape)) {
    if (layer.kind == LayerKind::kMeanPool) break;
    if (layer.stride.height > 1) out.before_strides.push_back(size.grid);
    size = size_after(layer, size);
    if (layer.kind == LayerKind::kResidual && ++blocks % kBlocks == 0) {
      out.stages.push_back(size.grid);
    }
  }
  return out;
}

Layer convolve(const std::string& name, int64_t out) {
  return convolution(name, out, 3, 1, Init::kKaimingNormal);
}

/// A block that keeps the size of its input.
Layer keeping(const std::string& at, int64_t width, bool zero_gain) {
  return residual({convolve(at + "conv1", width), norm(at + "bn1"), relu(),
                   convolve(at + "conv2", width), norm(at + "bn2", zero_gain)});
}

/// A block that doubles height and width and halves the channels.
Layer doubling(const std::string& at, int64_t width, const Grid& to, bool zero_gain) {
  return residual({convolve(at + "conv1", width), norm(at + "bn1"), relu(), upsample(to),
                   convolve(at + "conv2", width / 2), norm(at + "bn2", zero_gain)},
                  {upsample(to), convolve(at + "upsample.0", width / 2), norm(at + "upsample.1")});
}

}  // namespace

Network mirrored_resnet(const ResNetShape& shape, const Size& image) {
  ADASSL_CHECK(shape.depth == 18, "[resnet] expected a network of depth 18 to mirror, got ",
               shape.depth);
  const Grids grids = grids_of(shape, image);
  size_t stage = grids.stages.size() - 1;
  int64_t width = shape.width << stage;
  const Size features{width, grids.stages[stage]};
  Network out = {linear("linear", features.numbers(), true), reshape(width, features.grid)};
  for (;; --stage, width /= 2) {
    const std::string at = join("layer", stage + 1, ".");
    out.push_back(keeping(at + "0.", width, shape.zero_gain));
    if (stage == 0) {
      out.push_back(keeping(at + "1.", width, shape.zero_gain));
      break;
    }
    out.push_back(doubling(at + "1.", width, grids.stages[stage - 1], shape.zero_gain));
  }
  for (const Grid& grid : std::views::reverse(grids.before_strides)) out.push_back(upsample(grid));
  out.push_back(convolution("image", image.channels, 3));
  return out;
}

}  // namespace adassl::nn
