#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "adassl/kernels/blocks.h"

namespace adassl::kernels {

/// Batch normalisation between a linear map and its activation.
struct MlpNorm {
  const float* gain = nullptr;    // [out]
  const float* shift = nullptr;   // [out]
  float* running_mean = nullptr;  // [out], updated by a training pass
  float* running_var = nullptr;   // [out]
  bool present() const { return gain != nullptr; }
};

/// y = LeakyReLU(norm(W x + b)); a slope of 1 means: no activation. The last layer of a network has
/// neither norm nor activation.
struct MlpLayer {
  int64_t in = 0;
  int64_t out = 0;
  const float* weight = nullptr;  // [out, in]
  const float* bias = nullptr;    // [out], or none
  MlpNorm norm;
  float slope = 1;
};

/// Where gradients of a layer's parameters go; those that are null are not wanted.
struct MlpLayerGradients {
  float* weight = nullptr;
  float* bias = nullptr;
  float* gain = nullptr;
  float* shift = nullptr;
};

/// One batch that passes the network; batch normalisation sees each view alone.
struct MlpView {
  int64_t rows = 0;
  const float* x = nullptr;  // [rows, in]
};

/// A multilayer perceptron, forward and backward. 64 samples pass all layers while they are in the
/// cache (with batch normalisation: one layer at a time, as its statistics need all samples). The
/// pass keeps what the gradients need; `backward` consumes it and may be called once.
///
/// Sums over samples are made by groups of 512 and then in order, so results are the same bits for
/// any number of threads.
class MlpPass {
 public:
  enum class Mode {
    kTraining,   // statistics of the batch; running ones are updated
    kInference,  // running statistics; nothing is kept for gradients
  };
  static constexpr int64_t kWidest = 1024;  // beyond this a matrix library is faster
  static constexpr float kMomentum = 0.1F;
  static constexpr float kEpsilon = 1e-5F;

  /// Row i of view v goes to y[v][i]. Views of a normalised network need two rows in training.
  void forward(std::span<const MlpLayer> layers, std::span<const MlpView> views,
               std::span<float* const> y, Mode mode);

  /// From the gradients of all y to those of the parameters and, where not null, of the x. The
  /// weights must be those of the forward pass.
  void backward(std::span<const MlpLayer> layers, std::span<const float* const> y_gradients,
                std::span<const MlpLayerGradients> gradients, std::span<float* const> x_gradients);

  int64_t bytes() const;

  // The rest is the kernel's own.
  struct Block {  // up to 64 samples of one view
    int64_t view, first, samples;
  };
  struct Stage {      // what one layer keeps
    Buffer forward;   // panels of W
    Buffer backward;  // panels of W^T, where a gradient goes on to what is before
    Buffer linear;    // [blocks][out][64] W x, where a norm follows
    Buffer output;    // [blocks][out][64] the layer's output; then the gradient before activation
    Buffer sums;      // [blocks][2][out] partial sums over samples
    Buffer moments;   // [views][4][out] mean, 1 / deviation; in backward the two sums of gradients
  };
  std::vector<MlpView> views;
  std::vector<Block> blocks;
  std::vector<Stage> stages;
  Buffer input;     // [blocks][in][64]
  Buffer partials;  // [tasks][parameters]
};

/// Panels of W, or of W^T.
void pack_weights(const MlpLayer& layer, bool transposed, Buffer& panels);

/// Rows of a wide layer that are a task of their own; whole panels.
constexpr int64_t kSlice = 22 * kPanel;

}  // namespace adassl::kernels
