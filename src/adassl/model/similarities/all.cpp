#include "adassl/model/similarities/anisotropic.h"
#include "adassl/model/similarities/heteroscedastic.h"
#include "adassl/model/similarities/isotropic.h"
#include "adassl/model/similarity.h"

namespace adassl::model {

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
