#pragma once

#include <memory>
#include <vector>

#include "adassl/core/table.h"
#include "adassl/nn/compute.h"

namespace adassl::model {

struct SimilarityContext {
  int64_t embedding = 0;  // d
  nn::ComputePtr compute = nn::default_compute();
};

/// The weight of each dimension of the embedding space in the similarity to an anchor:
///   s(x, y) = -(psi(x) - psi(y))^T Lambda (psi(x) - psi(y)),   Lambda diagonal.
class Similarity : public torch::nn::Module {
 public:
  /// The diagonal of Lambda, from the raw embeddings e [B, d] of the anchors:
  /// a number [], one weight per dimension [d], or one per anchor and dimension [B, d].
  virtual Tensor concentration(const Tensor& e) = 0;
  /// Whether the weights depend on the anchor. The similarity is then not symmetric in x and y.
  virtual bool depends_on_anchor() const { return false; }
};

using SimilarityEntry = Entry<Similarity, const SimilarityContext&>;
const std::vector<SimilarityEntry>& similarities();

}  // namespace adassl::model
