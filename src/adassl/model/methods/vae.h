#pragma once

#include "adassl/model/capabilities.h"
#include "adassl/model/encoder.h"
#include "adassl/model/gaussian.h"
#include "adassl/model/method.h"
#include "adassl/nn/layers.h"
#include "adassl/parts/methods.h"

namespace adassl::model {

/// -log p(x | z) of the decoder's output y, for each sample: the sum over all numbers of x.
///   [B, ...], [B, ...] -> [B]
/// Bernoulli: y are logits, x lies in [0, 1]; the cross-entropy of both.
Tensor bernoulli_loss(const Tensor& y, const Tensor& x);
/// Gaussian of variance 1: |y - x|^2 / 2. A constant is left out.
Tensor gaussian_loss(const Tensor& y, const Tensor& x);

/// An encoder with two linear heads for mean and logarithm of the variance of
///   q(z | x) = N(mean(x), diag(exp(log_variance(x)))).
class GaussianEncoder final : public torch::nn::Module {
 public:
  GaussianEncoder(std::shared_ptr<Encoder> trunk, int64_t dim);
  /// Several views, each with BatchNorm statistics of its own.
  std::vector<Gaussian> forward(const std::vector<Tensor>& views);
  Encoder& trunk() const { return *trunk_; }

 private:
  std::shared_ptr<Encoder> trunk_;
  std::shared_ptr<nn::Linear> mean_, log_variance_;
};

/// What beta-VAE and AdaGVAE share: a Gaussian posterior q(z | x), a decoder that mirrors the
/// encoder, and the loss
///   mean_b [ -log p(x_b | z_b) + beta * KL(q(z | x_b) || N(0, I)) ],   z ~ q,
/// averaged over the views. The embedding is the mean of the posterior; it is not normalised.
class Vae : public Method, public Reconstructs {
 public:
  void initialised() override;
  Tensor embed(const Tensor& x) override;
  Tensor represent(const Tensor& x) override;
  Tensor decode(const Tensor& e) override;
  double bytes(int64_t batch) const override;
  std::vector<std::string> notes() const override { return notes_; }
  std::shared_ptr<torch::nn::Module> encoder() override { return encoder_; }

 protected:
  Vae(const parts::VaeOptions& options, Config& config, const MethodContext& context,
      int64_t views);

  std::vector<Gaussian> posteriors(const std::vector<Tensor>& views);
  /// The loss of views with the posteriors from which their z are drawn, one stream for each.
  Loss loss_of(const std::vector<Tensor>& views, const std::vector<Gaussian>& posteriors,
               const std::vector<random::Stream>& noise);
  Tensor here(const Tensor& tensor) const { return tensor.to(compute_->device); }

 private:
  parts::VaeOptions options_;
  nn::ComputePtr compute_;
  bool restored_;
  bool bernoulli_;
  int64_t views_;  // how many of a pair are encoded
  std::vector<std::string> notes_;
  std::shared_ptr<GaussianEncoder> encoder_;
  std::shared_ptr<Decoder> decoder_;
};

}  // namespace adassl::model
