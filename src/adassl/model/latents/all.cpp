#include "adassl/model/latent.h"
#include "adassl/model/latents/future.h"
#include "adassl/model/latents/given.h"
#include "adassl/model/latents/none.h"
#include "adassl/model/latents/sparse.h"
#include "adassl/model/latents/variational.h"

namespace adassl::model {

const std::vector<LatentEntry>& latents() {
  static const std::vector<LatentEntry> table = {
      entry<NoLatent, Latent, const LatentContext&>(),
      entry<Variational, Latent, const LatentContext&>(),
      entry<Sparse, Latent, const LatentContext&>(),
      entry<Future, Latent, const LatentContext&>(),
      entry<Given, Latent, const LatentContext&>(),
  };
  return table;
}

}  // namespace adassl::model
