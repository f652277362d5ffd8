#pragma once

#include "adassl/model/capabilities.h"
#include "adassl/model/editor.h"
#include "adassl/model/encoder.h"
#include "adassl/model/latent.h"
#include "adassl/model/method.h"
#include "adassl/model/objective.h"
#include "adassl/parts/methods.h"

namespace adassl::model {

/// The paper's equation 5, L = L_SSL((x, r), x+) + beta * reg(r), for any choice of parts:
///   e = f(x);  r ~ latent(e, f(helper));  e_hat = t(e, r);  L_SSL = objective(e_hat, f(x+))
class JointEmbedding final : public Method, public Predicts, public InfersR {
 public:
  using Options = parts::JointEmbeddingOptions;

  JointEmbedding(Config& config, const MethodContext& context);

  Loss forward(const Views& views, int64_t step, const random::Stream& noise) override;
  void initialised() override;
  void after_step(int64_t step, int64_t horizon) override;
  Tensor embed(const Tensor& x) override;
  Tensor represent(const Tensor& x) override;
  Tensor encode(const Tensor& x) override { return project(represent(x)); }
  Tensor project(const Tensor& representation) override;
  Tensor imagine_r(const Tensor& e, const random::Stream& noise) override;
  Tensor expected_r(const Tensor& e) override;
  bool samples_r() const override { return latent_->samples(); }
  Tensor predict(const Tensor& e, const Tensor& r) override;
  Tensor target(const Tensor& x_plus) override;
  int64_t r_width() const override;
  Usage usage(const Views& views, const random::Stream& noise) override;
  double bytes(int64_t batch) const override;
  std::vector<std::string> notes() const override { return notes_; }
  std::shared_ptr<torch::nn::Module> encoder() override { return encoder_; }

 private:
  struct Encoded {
    Tensor x, x_plus, helper, mirror_helper, change;  // embeddings [B, d]; change as given
    Tensor x_target, x_plus_target;                   // the targets of the other view
  };
  Encoded encode_views(const Views& views);
  std::vector<Evidence> evidence_of(const Encoded& e) const;
  std::vector<random::Stream> streams_of(const random::Stream& noise) const;
  Tensor objective_of(const Encoded& e, const std::vector<Tensor>& r);
  /// A tensor on the device of the model. What leaves the model is in the memory of the CPU again.
  Tensor here(const Tensor& tensor) const { return tensor.to(compute_->device); }
  bool further_views() const { return latent_->needs_helper() && options_.helper == "view"; }

  Options options_;
  nn::ComputePtr compute_;
  bool restored_;
  std::vector<std::string> notes_;
  std::shared_ptr<Encoder> encoder_;
  std::shared_ptr<Encoder> target_;  // follows the encoder; only for objectives that distil
  std::shared_ptr<Latent> latent_;
  std::shared_ptr<Editor> editor_;
  std::shared_ptr<Objective> objective_;
};

}  // namespace adassl::model
