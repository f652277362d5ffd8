#include "adassl/core/error.h"
#include "adassl/core/table.h"
#include "adassl/core/text.h"
#include "adassl/model/method.h"
#include "adassl/model/methods/identity.h"
#include "adassl/model/methods/joint_embedding.h"
#include "adassl/nn/layers.h"
#include "adassl/nn/tensors.h"

namespace adassl::model {
namespace {

std::shared_ptr<Method> joint_embedding(Config& config, const MethodContext& context) {
  return std::make_shared<JointEmbedding>(config, context);
}

std::shared_ptr<Method> identity(Config& config, const MethodContext&) {
  config.read<JointEmbedding::Options>("model");  // allowed, so that a study can vary all its rows
  return std::make_shared<Identity>();
}

/// A contrastive method without a latent is its similarity.
MethodEntry contrastive(std::string_view name, std::string_view summary,
                        const std::string& similarity) {
  return {name,
          summary,
          {{"latent.kind", "none"},
           {"editor.kind", "none"},
           {"objective.kind", "contrastive"},
           {"similarity.kind", similarity}},
          {},
          &joint_embedding};
}

/// Self-distillation with the predictor as the editor; r, if any, costs nothing.
MethodEntry distilled(std::string_view name, std::string_view summary, const std::string& latent) {
  return {name,
          summary,
          {{"latent.kind", latent}, {"objective.kind", "distillation"}},
          {{"editor.kind", latent == "none" ? "none" : "concat"}},
          &joint_embedding};
}

/// AdaSSL is its latent; editor and objective may be others than the paper's usual ones.
MethodEntry adaptive(std::string_view name, std::string_view summary, const std::string& latent,
                     const std::string& editor) {
  return {name, summary, {{"latent.kind", latent}}, {{"editor.kind", editor}}, &joint_embedding};
}

}  // namespace

const std::vector<MethodEntry>& methods() {
  static const std::vector<MethodEntry> table = {
      {"identity", "no learning: x is its own embedding", {}, {}, &identity},
      contrastive("infonce", "pairs agree up to isotropic noise", "isotropic"),
      contrastive("aninfonce", "noise of its own in each dimension", "anisotropic"),
      contrastive("hinfonce-affine", "noise that depends on x by an affine map",
                  "heteroscedastic-affine"),
      contrastive("hinfonce-mlp", "noise that depends on x by a network", "heteroscedastic-mlp"),
      adaptive("adassl-v", "a Gaussian r explains the change", "variational", "linear"),
      adaptive("adassl-s", "a sparse r explains the change", "sparse", "modular"),
      adaptive("adassl-gt", "the true change is given", "given", "linear"),
      distilled("byol", "predict a slowly following copy of the own encoder", "none"),
      distilled("byol-future", "the predictor also sees the helper view's embedding", "future"),
      distilled("byol-gt", "the predictor is also told the true change", "given"),
      {"custom",
       "any parts: choose encoder, latent, editor, objective, similarity",
       {},
       {},
       &joint_embedding},
  };
  return table;
}

std::shared_ptr<Method> make_method(Config& config, const MethodContext& context) {
  const std::string name = config.read_text("method", "adassl-v", "which method", names(methods()));
  const MethodEntry& entry = find(methods(), "method", name);
  for (const auto& [key, value] : entry.fixed) {
    config.set_default(key, value);
    const std::string chosen = config.read_text(key, value, "");
    ADASSL_CHECK(chosen == value, "[", config.where(), "] method ", name, ": expected ", key,
                 " = \"", value, "\", got \"", chosen, "\"; use method = \"custom\" to mix parts");
  }
  for (const auto& [key, value] : entry.suggested) config.set_default(key, value);
  auto method = entry.make(config, context);
  nn::initialise(*method, context.seed);
  method->initialised();
  return method;
}

}  // namespace adassl::model
