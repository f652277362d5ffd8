#pragma once

#include <memory>
#include <vector>

#include "adassl/core/table.h"
#include "adassl/nn/torch.h"

namespace adassl::model {

struct SimilarityContext {
  int64_t embedding = 0;  // d
};

/// How strongly each direction of the embedding space counts, as seen from an anchor:
///   s(x, y) = -(psi(x) - psi(y))^T Lambda (psi(x) - psi(y)),   Lambda diagonal.
class Similarity : public torch::nn::Module {
 public:
  /// The diagonal of Lambda, from the raw embeddings e [B, d] of the anchors:
  /// a number [], one weight a dimension [d], or one for each anchor and dimension [B, d].
  virtual Tensor concentration(const Tensor& e) = 0;
  /// Whether anchors have weights of their own: then x sees y otherwise than y sees x.
  virtual bool depends_on_anchor() const { return false; }
};

using SimilarityEntry = Entry<Similarity, const SimilarityContext&>;
const std::vector<SimilarityEntry>& similarities();

}  // namespace adassl::model
