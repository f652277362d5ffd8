#include "adassl/parts/methods.h"

namespace adassl::parts {
namespace {

using Choices = std::vector<std::pair<std::string, std::string>>;

MethodDescription joint_embedding(std::string_view name, std::string_view summary,
                                  const Choices& fixed, const Choices& suggested) {
  MethodDescription out{part_description<JointEmbeddingOptions>(), false, fixed, suggested};
  out.name = name;
  out.summary = summary;
  return out;
}

/// It has no parts, but accepts the options of the other methods, so that a study can set them for
/// all its rows.
MethodDescription identity() {
  MethodDescription out = joint_embedding(kIdentity, "no learning: x is its own embedding", {}, {});
  out.uses.clear();
  return out;
}

/// Contrastive methods without a latent differ only in their similarity.
MethodDescription contrastive(std::string_view name, std::string_view summary,
                              const std::string& similarity) {
  return joint_embedding(name, summary,
                         {{"latent.kind", "none"},
                          {"editor.kind", "none"},
                          {"objective.kind", "contrastive"},
                          {"similarity.kind", similarity}},
                         {});
}

/// Self-distillation. By default the editor passes r, if there is one, to the predictor.
MethodDescription distilled(std::string_view name, std::string_view summary,
                            const std::string& latent) {
  return joint_embedding(name, summary,
                         {{"latent.kind", latent}, {"objective.kind", "distillation"}},
                         {{"editor.kind", latent == "none" ? "none" : "concat"}});
}

/// An AdaSSL method fixes only its latent; the editor and the objective may differ from the paper's
/// usual ones.
MethodDescription adaptive(std::string_view name, std::string_view summary,
                           const std::string& latent, const std::string& editor) {
  return joint_embedding(name, summary, {{"latent.kind", latent}}, {{"editor.kind", editor}});
}

/// LieSSL sees the two embeddings that it transports between; other views are not asked for.
MethodDescription transporting() {
  return joint_embedding(
      "liessl", "a Lie group transports embeddings (re-implemented from a description)",
      {{"latent.kind", "lie"}, {"editor.kind", "lie"}, {"objective.kind", "lie"}},
      {{"model.helper", "target"}});
}

}  // namespace

const std::vector<MethodDescription>& methods() {
  static const std::vector<MethodDescription> table = {
      identity(),
      contrastive("infonce", "pairs agree up to isotropic noise", "isotropic"),
      contrastive("aninfonce", "pairs agree up to noise with one variance per dimension",
                  "anisotropic"),
      contrastive("hinfonce-affine", "pairs agree up to noise that is an affine function of x",
                  "heteroscedastic-affine"),
      contrastive("hinfonce-mlp", "pairs agree up to noise that a network predicts from x",
                  "heteroscedastic-mlp"),
      adaptive("adassl-v", "a Gaussian r explains the change", "variational", "linear"),
      adaptive("adassl-s", "a sparse r explains the change", "sparse", "modular"),
      adaptive("adassl-gt", "the true change is given", "given", "linear"),
      distilled("byol", "predicts the output of a moving average of the encoder", "none"),
      distilled("byol-future", "the predictor also sees the helper view's embedding", "future"),
      distilled("byol-gt", "the predictor also sees the true change", "given"),
      transporting(),
      {part_description<BetaVaeOptions>(), true},
      {part_description<AdaGvaeOptions>(), true},
      joint_embedding(JointEmbeddingOptions::kName, JointEmbeddingOptions::kSummary, {}, {}),
  };
  return table;
}

void apply(const MethodDescription& method, Config& config) {
  for (const auto& [key, value] : method.fixed) {
    config.set_default(key, value);
    const std::string chosen = config.read_text(key, value, "");
    ADASSL_CHECK(chosen == value, "[", config.where(), "] method ", method.name, ": expected ", key,
                 " = \"", value, "\", got \"", chosen, "\"; use method = \"custom\" to mix parts");
  }
  for (const auto& [key, value] : method.suggested) config.set_default(key, value);
}

}  // namespace adassl::parts
