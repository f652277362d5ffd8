#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "adassl/core/random.h"
#include "adassl/nn/torch.h"

/// The elementary layers: Linear, BatchNorm and LeakyReLU, with initialisation from a seed.
namespace adassl::nn {

/// A module that can draw its own parameters, without those of its children, from a random stream.
class Initialised {
 public:
  virtual ~Initialised() = default;
  virtual void initialise(const random::Stream& stream) = 0;
};

/// Calls `initialise` on every Initialised module of the tree. The values depend only on the seed,
/// the name of the module and the shape of the parameter. Other modules, such as BatchNorm, keep
/// the values that they were constructed with.
void initialise(torch::nn::Module& root, uint64_t seed);

enum class Init {
  kDefault,        // weights and biases uniform in +-1 / sqrt(fan in), as in PyTorch's Linear
  kStabilised,     // weights Xavier uniform with gain sqrt(2), biases 0
  kZero,           // weights and biases 0
  kKaimingNormal,  // weights normal with variance 2 / fan out, biases 0; for convolutions
};

/// Fills a parameter of any shape with uniform values in [-bound, bound].
void fill_uniform(Tensor& parameter, double bound, const random::Stream& stream);

/// Initialises the weight, [out, in] or [out, in, height, width], and the bias, [out] or undefined.
void draw(Tensor& weight, Tensor& bias, Init init, const random::Stream& stream);

/// y = x W^T + b, from x [..., in] to y [..., out].
class Linear final : public torch::nn::Module, public Initialised {
 public:
  Linear(int64_t in, int64_t out, bool bias, Init init = Init::kDefault);
  Tensor forward(const Tensor& x);
  void initialise(const random::Stream& stream) override;

  Tensor weight;  // [out, in]
  Tensor bias;    // [out], or undefined

 private:
  Init init_;
};

/// Batch normalisation, separately for each channel c:
///   y = weight_c (x - mean_c) / sqrt(variance_c + epsilon) + bias_c
/// x and y are [N, width] or [N, width, H, W]. In training mode, mean and variance are those of the
/// batch, over N and the pixels. In evaluation mode, they are the running statistics.
class BatchNorm final : public torch::nn::Module {
 public:
  static constexpr double kEpsilon = 1e-5;
  static constexpr double kMomentum = 0.1;

  explicit BatchNorm(int64_t width);
  Tensor forward(const Tensor& x);
  /// Updates the running statistics with those of a batch, for kernels that compute the batch
  /// statistics themselves. `mean` and `variance` are [width]. `variance` is the biased variance, a
  /// sum divided by `rows`. As in PyTorch, the running variance is updated with the unbiased one.
  /// The running statistics must be float32, and `rows` must be at least 2.
  void follow(std::span<const float> mean, std::span<const float> variance, int64_t rows);

  Tensor weight, bias;               // [width] gain and shift
  Tensor running_mean, running_var;  // [width]
};

/// max(0, x) + slope min(0, x), of the shape of x. A slope of 0 gives ReLU.
Tensor leaky_relu(const Tensor& x, double slope);

}  // namespace adassl::nn
