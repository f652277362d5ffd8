#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adassl/core/table.h"

namespace adassl::parts {

/// The options of all methods of the paper, besides those of their parts
/// (model/methods/joint_embedding.h).
struct JointEmbeddingOptions {
  static constexpr std::string_view kName = "custom";
  static constexpr std::string_view kSummary =
      "any combination of encoder, latent, editor, objective and similarity";
  static std::vector<PartUse> uses() {
    return {
        {"encoder", "mlp"}, {"latent", "none"}, {"editor", "none"}, {"objective", "contrastive"}};
  }
  std::string space = "hypersphere";
  bool symmetric = true;
  std::string helper = "view";
  void visit(Fields& field) {
    field("space", space, "whether embeddings are normalised to the hypersphere",
          {"hypersphere", "unbounded"});
    field("symmetric", symmetric, "also predict x from x+, and average both losses");
    field("helper", helper,
          "whether r is inferred from another view of the target or from the target itself",
          {"view", "target"});
  }
};

/// The options of the variational autoencoders (model/methods/vae.h).
struct VaeOptions {
  static std::vector<PartUse> uses() { return {{"encoder", "mlp"}}; }
  int64_t dim = 16;
  double beta = 1;
  std::string likelihood = "auto";
  void visit(Fields& field) {
    field("dim", dim, "width of the latent z, whose posterior mean is the embedding", {1, 4096});
    field("beta", beta, "weight of the KL divergence between posterior and prior", {0, 1e6});
    field("likelihood", likelihood,
          "of an observation given z. bernoulli: cross-entropy of pixels in [0, 1]; gaussian: half "
          "the squared error; both are sums over all numbers of x; auto: bernoulli for images, "
          "else gaussian",
          {"auto", "bernoulli", "gaussian"});
  }
};

struct BetaVaeOptions : VaeOptions {
  static constexpr std::string_view kName = "beta-vae";
  static constexpr std::string_view kSummary =
      "a variational autoencoder of single observations, x alone";
};

struct AdaGvaeOptions : VaeOptions {
  static constexpr std::string_view kName = "adagvae";
  static constexpr std::string_view kSummary =
      "a variational autoencoder of pairs, which share the latents that change least";
};

/// A named method: the parts that it fixes, and the parts that are only its defaults, as keys and
/// values.
struct MethodDescription : PartDescription {
  // Whether the section [model] has options of this method's own, not those of a joint embedding.
  bool own_options = false;
  std::vector<std::pair<std::string, std::string>> fixed = {};
  std::vector<std::pair<std::string, std::string>> suggested = {};
};

/// The methods by name. All but `identity` and the autoencoders are joint embeddings.
const std::vector<MethodDescription>& methods();

/// Sets the method's default parts; Error if the configuration contradicts a part that it fixes.
void apply(const MethodDescription& method, Config& config);

inline constexpr std::string_view kIdentity = "identity";

}  // namespace adassl::parts
