#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "adassl/core/random.h"
#include "adassl/nn/torch.h"

namespace adassl::nn {

/// A module whose own parameters are drawn from a stream; `initialise` visits all of a tree.
class Initialised {
 public:
  virtual ~Initialised() = default;
  virtual void initialise(const random::Stream& stream) = 0;
};

/// Draws every parameter of the tree anew: a pure function of seed and module name.
void initialise(torch::nn::Module& root, uint64_t seed);

enum class Init {
  kDefault,     // uniform within 1 / sqrt(fan in), weights and biases, as PyTorch's Linear
  kStabilised,  // Xavier uniform with gain sqrt(2), biases 0
  kZero,
  kKaimingNormal,  // normal of variance 2 / fan out, no bias, for convolutions before a ReLU
};

/// Uniform in [-bound, bound].
void fill_uniform(Tensor& parameter, double bound, const random::Stream& stream);

/// Draws the weight [out, in] or [out, in, height, width] of a layer, and its bias if it has one.
void draw(Tensor& weight, Tensor& bias, Init init, const random::Stream& stream);

/// y = x W^T + b.
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

/// Batch normalisation over rows.
class BatchNorm final : public torch::nn::Module {
 public:
  static constexpr double kEpsilon = 1e-5;
  static constexpr double kMomentum = 0.1;

  explicit BatchNorm(int64_t width);
  Tensor forward(const Tensor& x);
  /// The running statistics take in those of a batch of so many rows, whose variance was divided by
  /// that number; for those who compute them themselves, in float32.
  void follow(std::span<const float> mean, std::span<const float> variance, int64_t rows);

  Tensor weight, bias;               // [width]
  Tensor running_mean, running_var;  // [width]
};

/// LeakyReLU; a slope of 0 is ReLU.
Tensor leaky_relu(const Tensor& x, double slope);

}  // namespace adassl::nn
