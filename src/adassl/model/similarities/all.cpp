#include "adassl/model/similarities/anisotropic.h"
#include "adassl/model/similarities/heteroscedastic.h"
#include "adassl/model/similarities/isotropic.h"
#include "adassl/model/similarity.h"

namespace adassl::model {

Tensor distance_logits(const Tensor& a, const Tensor& b, const Tensor& concentration, double tau) {
  const Tensor weights = concentration / tau;                   // [], [d] or [N, d]
  const Tensor weighted = weights * a;                          // [N, d]
  const Tensor own = (weighted * a).sum(1, /*keepdim=*/true);   // [N, 1]
  const Tensor one = torch::ones({b.size(0), 1}, b.options());  // [M, 1]
  if (concentration.dim() == 0) {  // one weight for all directions: |b|^2 is a single column
    const Tensor square = (b * b).sum(1, /*keepdim=*/true);  // [M, 1]
    return torch::cat({2 * weighted, -own, -weights.expand_as(own)}, 1)
        .matmul(torch::cat({b, one, square}, 1).t());
  }
  return torch::cat({2 * weighted, -own, -weights.expand_as(a)}, 1)
      .matmul(torch::cat({b, one, b * b}, 1).t());
}

const std::vector<SimilarityEntry>& similarities() {
  static const std::vector<SimilarityEntry> table = {
      entry<Isotropic, Similarity, const SimilarityContext&>(),
      entry<Anisotropic, Similarity, const SimilarityContext&>(),
      entry<HeteroscedasticAffine, Similarity, const SimilarityContext&>(),
      entry<HeteroscedasticMlp, Similarity, const SimilarityContext&>(),
  };
  return table;
}

}  // namespace adassl::model
