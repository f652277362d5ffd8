#include "adassl/nn/convolution_stack.h"

#include "adassl/nn/bf16_chain.h"

namespace adassl::nn {
namespace {

std::vector<ChainLayer> chain_of(const std::vector<StackedLayer>& layers) {
  std::vector<ChainLayer> out;
  for (const StackedLayer& of : layers) {
    const ConvolutionShape& shape = of.layer->shape();
    out.push_back({{of.images, of.height, of.width, shape.in, shape.out, shape.kernel, shape.stride,
                    shape.padding},
                   of.layer->weight,
                   &of.layer->norm()});
  }
  return out;
}

}  // namespace

bool stack_covers(const Tensor& x, const std::vector<StackedLayer>& layers) {
  return chain_covers(x, chain_of(layers));
}

Tensor pooled_stack(const Tensor& x, const std::vector<StackedLayer>& layers) {
  return bf16_chain(x.permute({0, 2, 3, 1}), chain_of(layers), ChainEnd::kPooled);
}

}  // namespace adassl::nn
