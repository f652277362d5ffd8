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

/// y = LeakyReLU(norm(W x + b)). A slope of 1 means that there is no activation. The last layer of
/// a network has neither norm nor activation.
struct MlpLayer {
  int64_t in = 0;
  int64_t out = 0;
  const float* weight = nullptr;  // [out, in]
  const float* bias = nullptr;    // [out], or null
  MlpNorm norm;
  float slope = 1;
};

/// Outputs for the gradients of a layer's parameters. A gradient whose pointer is null is dropped.
struct MlpLayerGradients {
  float* weight = nullptr;
  float* bias = nullptr;
  float* gain = nullptr;
  float* shift = nullptr;
};

/// One batch of inputs. Batch normalisation computes the statistics of each view separately.
struct MlpView {
  int64_t rows = 0;
  const float* x = nullptr;  // [rows, in]
};

/// A multilayer perceptron, forward and backward. A block of 64 samples passes through all layers
/// while it is in the cache. A layer with batch normalisation interrupts this, because its
/// statistics need all samples. `forward` keeps the values that the gradients need; `backward`
/// overwrites them and may be called once.
///
/// Sums over samples are computed in groups of 512, which are then added in order, so the bits do
/// not depend on the number of threads.
class MlpPass {
 public:
  enum class Mode {
    kTraining,   // normalises by the statistics of the batch and updates the running ones
    kInference,  // normalises by the running statistics; keeps nothing for gradients
  };
  static constexpr int64_t kWidest = 1024;  // beyond this a matrix library is faster
  static constexpr float kMomentum = 0.1F;
  static constexpr float kEpsilon = 1e-5F;

  /// Writes the output of row i of view v to y[v][i]. In training, every view of a network with
  /// batch normalisation needs at least two rows.
  void forward(std::span<const MlpLayer> layers, std::span<const MlpView> views,
               std::span<float* const> y, Mode mode);

  /// Computes the gradients of the parameters and, where not null, of the inputs x from the
  /// gradients of all y. The weights must be those of the forward pass.
  void backward(std::span<const MlpLayer> layers, std::span<const float* const> y_gradients,
                std::span<const MlpLayerGradients> gradients, std::span<float* const> x_gradients);

  int64_t bytes() const;

  // The rest is public for the kernel's own source files only.
  struct Block {  // up to 64 samples of one view
    int64_t view, first, samples;
  };
  struct Stage {      // the buffers of one layer
    Buffer forward;   // panels of W
    Buffer backward;  // panels of W^T, if the gradient of the layer's input is needed
    Buffer linear;    // [blocks][out][64] W x + b, if a norm follows
    Buffer output;    // [blocks][out][64] output; in backward the gradient before the activation
    Buffer sums;      // [blocks][2][out] partial sums over samples
    Buffer moments;   // [views][4][out] mean, 1 / deviation, and the two sums of gradients
  };
  std::vector<MlpView> views;
  std::vector<Block> blocks;
  std::vector<Stage> stages;
  Buffer input;     // [blocks][in][64]
  Buffer partials;  // [tasks][parameters]
};

/// Copies W, or W^T if `transposed`, into panels.
void pack_weights(const MlpLayer& layer, bool transposed, Buffer& panels);

/// The rows of a wide layer are divided into tasks of this many rows, a whole number of panels.
constexpr int64_t kSlice = 22 * kPanel;

}  // namespace adassl::kernels
