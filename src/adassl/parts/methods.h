#pragma once

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

/// A named method: the parts that it fixes, and the parts that are only its defaults, as keys and
/// values.
struct MethodDescription : PartDescription {
  std::vector<std::pair<std::string, std::string>> fixed = {};
  std::vector<std::pair<std::string, std::string>> suggested = {};
};

/// The methods by name. All but `identity` are joint embeddings.
const std::vector<MethodDescription>& methods();

/// Sets the method's default parts; Error if the configuration contradicts a part that it fixes.
void apply(const MethodDescription& method, Config& config);

inline constexpr std::string_view kIdentity = "identity";

}  // namespace adassl::parts
