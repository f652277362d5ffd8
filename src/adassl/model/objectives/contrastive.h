#pragma once

#include "adassl/model/objective.h"
#include "adassl/model/similarity.h"
#include "adassl/nn/contrastive_function.h"
#include "adassl/nn/mlp.h"

namespace adassl::model {

/// -sum_k Lambda_ik (a_ik - b_jk)^2 / tau without an N x M x d tensor: one matrix product of
/// widened features, [2 L a, -L, -sum L a^2] / tau against [b, b^2, 1].
///   a [N, d], b [M, d], concentration [] or [d] or [N, d]  ->  [N, M]
Tensor distance_logits(const Tensor& a, const Tensor& b, const Tensor& concentration, double tau);

/// mean_i of -log( exp(logits_ii) / sum_j exp(logits_ij) ), the sum over the columns j that
/// `excluded` [N, M] (bool, may be undefined) leaves. The positives are the diagonal; M >= N.
Tensor softmax_cross_entropy(const Tensor& logits, const Tensor& excluded);

/// InfoNCE and its relatives: e_hat must be nearer to its target than the other candidates are.
///   negatives = "targets": the batch's embeddings of the other view             (paper eq. 2)
///   negatives = "both":    those and the embeddings of the source's own view, but for the source
///   form = "distance":     logits = -(q - k)^T Lambda (q - k) / tau      (the paper's table)
///   form = "cosine":       logits = lambda q^T k / tau, clamped to +-clamp    (the image tables)
class Contrastive final : public Objective {
 public:
  static constexpr std::string_view kName = "contrastive";
  static constexpr std::string_view kSummary =
      "pick the pair's other half among the batch (InfoNCE)";

  struct Options {
    double tau = 0.1;
    std::string negatives = "targets";
    std::string form = "distance";
    double clamp = 0;
    bool predictor = false;
    std::vector<int64_t> predictor_hidden = {100, 100, 100};
    double predictor_slope = 0.01;
    void visit(Fields& field) {
      field("tau", tau, "temperature", {1e-4, 1e4});
      field("negatives", negatives, "which embeddings compete with the positive",
            {"targets", "both"});
      field("form", form, "what the logits are made of", {"distance", "cosine"});
      field("clamp", clamp, "largest size of a logit; 0: no clamp", {0, 1e6});
      field("predictor", predictor,
            "a network after the editor: psi_1 differs from psi_2; an editor that only hands r "
            "over has one in any case");
      field("predictor_hidden", predictor_hidden, "its hidden layers (with BatchNorm)", {1, 65536});
      field("predictor_slope", predictor_slope, "its LeakyReLU's slope; 0 is ReLU", {0, 1});
    }
  };

  Contrastive(const Options& options, const ObjectiveContext& context);
  Tensor loss(const Direction& forward, const std::optional<Direction>& backward) override;
  Tensor predict(const Tensor& e_hat) override;
  Tensor psi(const Tensor& e) override;
  std::vector<std::pair<std::string, Tensor>> learned() const override;
  int64_t candidates(int64_t batch) const override;
  double bytes(int64_t batch, bool symmetric) const override;

 private:
  Tensor concentration_of(const Direction& direction);
  Tensor logits(const Tensor& q, const Tensor& k, const Tensor& concentration) const;
  Tensor one_direction(const Direction& direction);
  Tensor reference(const Direction& direction, const Tensor& q, const Tensor& concentration);
  std::string beyond_kernels() const;
  bool fits_kernels(const Tensor& q, const Tensor& concentration) const;
  bool mirror(const Direction& forward, const Direction& backward) const;
  nn::ContrastiveForm form() const;

  Options options_;
  bool hypersphere_;
  int64_t embedding_;
  std::shared_ptr<Similarity> similarity_;
  std::shared_ptr<nn::Mlp> predictor_;
  kernels::ContrastiveWorkspace workspace_;
  Tensor concentration_;  // of the last loss, without its gradient
};

}  // namespace adassl::model
