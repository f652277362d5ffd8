#include "adassl/model/method.h"
#include "adassl/model/methods/adagvae.h"
#include "adassl/model/methods/beta_vae.h"
#include "adassl/model/methods/identity.h"
#include "adassl/model/methods/joint_embedding.h"
#include "adassl/nn/layers.h"

namespace adassl::model {
namespace {

using Make = std::shared_ptr<Method> (*)(Config&, const MethodContext&);

template <class T>
std::shared_ptr<Method> made(Config& config, const MethodContext& context) {
  return std::make_shared<T>(config, context);
}

std::shared_ptr<Method> identity(Config& config, const MethodContext&) {
  config.read<JointEmbedding::Options>("model");
  return std::make_shared<Identity>();
}

Make maker_of(std::string_view name) {
  if (name == parts::kIdentity) return &identity;
  if (name == BetaVae::Options::kName) return &made<BetaVae>;
  if (name == AdaGvae::Options::kName) return &made<AdaGvae>;
  return &made<JointEmbedding>;
}

}  // namespace

const std::vector<MethodEntry>& methods() {
  static const std::vector<MethodEntry> table = [] {
    std::vector<MethodEntry> out;
    for (const auto& method : parts::methods()) out.push_back({method, maker_of(method.name)});
    return out;
  }();
  return table;
}

double bytes_of_state(const torch::nn::Module& module) {
  constexpr double kOfTrained = 5;
  double numbers = 0;
  for (const Tensor& p : module.parameters()) {
    numbers += (p.requires_grad() ? kOfTrained : 1) * static_cast<double>(p.numel());
  }
  return sizeof(float) * numbers;
}

std::shared_ptr<Method> make_method(Config& config, const MethodContext& context,
                                    const std::vector<MethodEntry>& table) {
  const std::string name = config.read_text("method", "adassl-v", "which method", names(table));
  const MethodEntry& entry = find(table, "method", name);
  parts::apply(entry, config);
  auto method = entry.make(config, context);
  nn::initialise(*method, context.seed);
  method->initialised();
  method->to(context.compute->device);
  return method;
}

}  // namespace adassl::model
