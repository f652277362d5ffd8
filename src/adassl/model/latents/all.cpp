#include "adassl/model/latent.h"
#include "adassl/model/latents/future.h"
#include "adassl/model/latents/given.h"
#include "adassl/model/latents/lie.h"
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
      entry<LieLatent, Latent, const LatentContext&>(),
  };
  return table;
}

Tensor use_of_dimensions(const std::vector<Draw>& draws, Cost cost) {
  Tensor sum;
  for (const Draw& draw : draws) {
    const Tensor mean = (cost == Cost::kGates ? draw.gates : draw.cost).mean(0);
    sum = sum.defined() ? sum + mean : mean;
  }
  return sum / static_cast<double>(draws.size());
}

Tensor entropy(const Tensor& weights) {
  const Tensor total = weights.sum();
  const Tensor rho = weights / torch::where(total > 0, total, torch::ones_like(total));
  return -torch::xlogy(rho, rho).sum();
}

}  // namespace adassl::model
