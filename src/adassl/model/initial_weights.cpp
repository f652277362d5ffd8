#include "adassl/model/initial_weights.h"

#include <algorithm>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/core/text.h"

namespace adassl::model {
namespace {

using storage::Dtype;

torch::ScalarType type_of(const std::string& where, const storage::TensorView& view) {
  switch (view.dtype) {
    case Dtype::kF32:
      return torch::kFloat32;
    case Dtype::kF64:
      return torch::kFloat64;
    case Dtype::kF16:
      return torch::kFloat16;
    case Dtype::kBF16:
      return torch::kBFloat16;
    default:
      throw Error(join("[", where, "] ", view.name, ": expected floating-point numbers, got ",
                       storage::name_of(view.dtype)));
  }
}

bool begins_with_any(const std::string& name, const std::vector<std::string>& beginnings) {
  return std::ranges::any_of(beginnings,
                             [&](const std::string& start) { return name.starts_with(start); });
}

/// Names in one line; of many only the first.
std::string listed(const std::vector<std::string>& names) {
  constexpr size_t kShown = 8;
  const size_t shown = std::min(names.size(), kShown);
  std::string out = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (names.size() > shown) out += fmt::format(" and {} more", names.size() - shown);
  return one_line(out);
}

}  // namespace

Tensor initial_tensor(const storage::Safetensors& file, const std::string& where,
                      const std::string& name, const Tensor& target) {
  const storage::TensorView view = file.at(name);
  const auto shape = target.sizes().vec();
  ADASSL_CHECK(view.shape == shape, "[", where, "] ", name, ": expected shape [",
               fmt::format("{}", fmt::join(shape, ", ")), "], got [",
               fmt::format("{}", fmt::join(view.shape, ", ")), "]");
  Tensor out = torch::empty(view.shape, torch::dtype(type_of(where, view)));
  std::memcpy(out.data_ptr(), view.bytes.data(), view.bytes.size());
  out = out.to(target.options());
  ADASSL_CHECK(out.isfinite().all().item<bool>(), "[", where, "] ", name,
               ": expected finite numbers");
  return out;
}

std::vector<std::string> start_from(torch::nn::Module& module, const storage::Safetensors& file,
                                    const std::string& where, const std::vector<std::string>& own,
                                    const std::vector<std::string>& ignored) {
  std::map<std::string, Tensor> targets;
  for (const auto& item : module.named_parameters()) targets.emplace(item.key(), item.value());
  for (const auto& item : module.named_buffers()) targets.emplace(item.key(), item.value());
  std::erase_if(targets, [&](const auto& item) { return begins_with_any(item.first, own); });

  std::vector<std::string> missing, unexpected;
  std::vector<std::pair<Tensor, Tensor>> copies;  // to, from
  for (const auto& [name, target] : targets) {
    if (file.has(name)) {
      copies.emplace_back(target, initial_tensor(file, where, name, target));
    } else {
      missing.push_back(name);
    }
  }
  for (const std::string& name : file.names()) {
    // PyTorch's norms count their batches; with a fixed momentum nobody reads the count.
    const bool known = targets.contains(name) || name.ends_with("num_batches_tracked") ||
                       begins_with_any(name, ignored) || begins_with_any(name, own);
    if (!known) unexpected.push_back(name);
  }
  ADASSL_CHECK(!copies.empty(), "[", where, "] expected names such as '",
               targets.empty() ? "" : targets.begin()->first, "', got ",
               file.names().empty() ? "no tensors" : listed(file.names()));
  const torch::NoGradGuard no_grad;
  for (auto& [to, from] : copies) to.copy_(from);

  std::vector<std::string> lines = {fmt::format("{} of {} tensors of the encoder start from {}",
                                                copies.size(), targets.size(), where)};
  if (!missing.empty()) {
    lines.push_back(join("missing in ", where, ", drawn instead: ", listed(missing)));
  }
  if (!unexpected.empty()) lines.push_back(join("not used of ", where, ": ", listed(unexpected)));
  return lines;
}

}  // namespace adassl::model
