#include "adassl/evaluation/evaluation.h"

#include "adassl/nn/tensors.h"

namespace adassl::evaluation {

Frozen::Frozen(model::Method& method) : method_(method), was_training_(method.is_training()) {
  method.eval();
}

Frozen::~Frozen() { method_.train(was_training_); }

Tensor embed(model::Method& method, const Array& x) {
  constexpr int64_t kBlock = 4096;
  std::vector<Tensor> blocks;
  for (const Tensor& block : nn::view(x).split(kBlock)) {
    blocks.push_back(method.embed(block).to(torch::kFloat64));
  }
  return torch::cat(blocks);
}

}  // namespace adassl::evaluation
