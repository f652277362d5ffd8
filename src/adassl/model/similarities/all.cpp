#include "adassl/model/similarities/anisotropic.h"
#include "adassl/model/similarities/heteroscedastic.h"
#include "adassl/model/similarities/isotropic.h"
#include "adassl/model/similarity.h"

namespace adassl::model {

Tensor weighted_squared_distances(const Tensor& a, const Tensor& b, const Tensor& concentration) {
  const Tensor weights = concentration.dim() == 2 ? concentration : concentration.expand_as(a);
  const Tensor weighted = weights * a;                                   // [N, d]
  const Tensor own = (weighted * a).sum(1, /*keepdim=*/true);            // [N, 1]
  return own - 2 * weighted.matmul(b.t()) + weights.matmul((b * b).t());  // [N, M]
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
