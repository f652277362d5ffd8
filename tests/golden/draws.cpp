#include "golden/draws.h"

#include <functional>
#include <numeric>

#include "adassl/nn/tensors.h"

namespace adassl::testing {

void disturb(torch::nn::Module& module, uint64_t seed) {
  const torch::NoGradGuard no_grad;
  const Tensor like = torch::zeros({}, torch::kFloat64);
  const auto around = [&](double centre, const Tensor& draws, Tensor target) {
    target.copy_((centre + draws).view(target.sizes()));
  };
  const auto stream = [&](const std::string& name) {
    return random::Stream(seed, "golden/" + name);
  };
  for (const auto& item : module.named_parameters()) {
    const std::string& name = item.key();
    const bool gain = item.value().dim() == 1 && name.ends_with("weight");
    around(gain ? 1 : 0, 0.3 * nn::normal(1, item.value().numel(), stream(name), like),
           item.value());
  }
  for (const auto& item : module.named_buffers()) {
    around(item.key().ends_with("var") ? 0.5 : -0.5,
           nn::uniform(1, item.value().numel(), stream(item.key()), like), item.value());
  }
}

/// x+ is like x, the helper like x+, its mirror image like x. The sums are float32's. Of pixels,
/// which lie between 0 and 1, there are x and x+ only.
model::Views views_of(const GoldenFile& file, uint64_t seed, int64_t step) {
  const int64_t rows = file.number("rows");
  std::vector<int64_t> shape = file.numbers("observation");
  const int64_t width = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies());
  shape.insert(shape.begin(), rows);
  const random::Stream stream(seed, "views", static_cast<uint64_t>(step));
  const auto normal = [&](const char* name, int64_t columns) {
    return nn::normal(rows, columns, stream.named(name), torch::zeros({}));
  };
  const auto finished = [&](const Tensor& flat) { return flat.view(shape).to(file.type()); };
  if (file.texts().contains("pixels")) {
    const auto pixels = [&](const char* name) {
      return nn::uniform(rows, width, stream.named(name), torch::zeros({}));
    };
    const Tensor x = pixels("x");
    return {finished(x), finished((x + pixels("x_plus")) / 2), {}, {}, {}};
  }
  const Tensor x = normal("x", width);
  const Tensor x_plus = x + normal("x_plus", width) / 2;
  model::Views out{finished(x),
                   finished(x_plus),
                   finished(x_plus + normal("helper", width) / 4),
                   finished(x + normal("mirror_helper", width) / 4),
                   {}};
  if (const int64_t change = file.number("change"); change > 0) {
    out.change = normal("change", change).to(file.type());
  }
  return out;
}

}  // namespace adassl::testing
