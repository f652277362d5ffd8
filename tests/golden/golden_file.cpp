#include "golden/golden_file.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>

#include "adassl/core/error.h"

namespace adassl::testing {
namespace {

std::string beneath(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "/" + name;
}

void copy_into(Tensor target, const Tensor& source, const std::string& name) {
  ADASSL_CHECK(target.sizes() == source.sizes(), "[golden] ", name, ": expected shape ",
               target.sizes(), ", got ", source.sizes());
  const torch::NoGradGuard no_grad;
  target.copy_(source);
}

void expect_same_names(const Named& expected, const std::set<std::string>& seen,
                       const std::string& what) {
  for (const auto& [name, tensor] : expected) {
    EXPECT_TRUE(seen.contains(name)) << what << " " << name << " is not ours";
  }
}

}  // namespace

GoldenFile::GoldenFile(const std::string& name, torch::ScalarType type)
    : file_(storage::Safetensors::read(std::string(ADASSL_SOURCE_DIR) + "/tests/golden/data/" +
                                       name + ".safetensors")),
      type_(type) {}

Tensor GoldenFile::at(const std::string& name) const {
  const storage::TensorView view = file_.at(name);
  const auto type = view.dtype == storage::Dtype::kF64 ? torch::kFloat64 : torch::kFloat32;
  ADASSL_CHECK(type == torch::kFloat64 || view.dtype == storage::Dtype::kF32, "[golden] ", name,
               ": expected floating-point numbers");
  Tensor out = torch::empty(view.shape, type);
  std::memcpy(out.data_ptr(), view.bytes.data(), view.bytes.size());
  return out.to(type_);
}

Named GoldenFile::below(const std::string& prefix) const {
  Named out;
  for (const std::string& name : file_.names()) {
    if (name.starts_with(prefix + "/")) out.emplace_back(name.substr(prefix.size() + 1), at(name));
  }
  return out;
}

std::vector<std::string> GoldenFile::words(const std::string& key) const {
  std::vector<std::string> out;
  std::istringstream in(text(key));
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

std::vector<int64_t> GoldenFile::numbers(const std::string& key) const {
  std::vector<int64_t> out;
  std::istringstream words(text(key));
  for (int64_t number = 0; words >> number;) out.push_back(number);
  return out;
}

void load(torch::nn::Module& module, const GoldenFile& file, const std::string& prefix) {
  module.to(file.type());
  for (const auto& item : module.named_parameters()) {
    copy_into(item.value(), file.at(beneath(prefix, "parameter/" + item.key())), item.key());
  }
  for (const auto& item : module.named_buffers()) {
    copy_into(item.value(), file.at(beneath(prefix, "buffer/" + item.key())), item.key());
  }
}

::testing::AssertionResult close(const Tensor& actual, const Tensor& expected, double tolerance) {
  if (!actual.defined()) return ::testing::AssertionFailure() << "there is no such tensor";
  if (actual.sizes() != expected.sizes()) {
    return ::testing::AssertionFailure()
           << "expected shape " << expected.sizes() << ", got " << actual.sizes();
  }
  const Tensor wanted = expected.detach().to(torch::kFloat64);
  const double error = (actual.detach().to(torch::kFloat64) - wanted).norm().item<double>();
  const double size = wanted.norm().item<double>();
  if (error <= tolerance * (size > 0 ? size : 1)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "differs by " << error << ", its norm is " << size
                                       << ", so by " << error / size << " of it";
}

Tensor digest(const Tensor& tensor, int64_t values) {
  const Tensor flat = tensor.detach().reshape(-1);
  const int64_t last = flat.numel() - 1;
  const Tensor places =
      torch::linspace(0, static_cast<double>(last), std::min(values, last + 1), torch::kFloat64)
          .round()
          .to(torch::kInt64);
  return torch::cat({flat.index_select(0, places), flat.norm().unsqueeze(0)});
}

void expect_gradients(const torch::nn::Module& module, const GoldenFile& file,
                      const std::string& of_case, double tolerance) {
  const std::string prefix = of_case + "/gradient/parameter";
  std::set<std::string> seen;
  for (const auto& item : module.named_parameters()) {
    const bool expected = file.has(prefix + "/" + item.key());
    EXPECT_EQ(item.value().grad().defined(), expected) << "gradient of " << item.key();
    if (!expected) continue;
    EXPECT_TRUE(close(item.value().grad(), file.at(prefix + "/" + item.key()), tolerance))
        << "gradient of " << item.key();
    seen.insert(item.key());
  }
  expect_same_names(file.below(prefix), seen, "parameter");
}

void expect_buffers(const torch::nn::Module& module, const GoldenFile& file,
                    const std::string& after, double tolerance) {
  std::set<std::string> seen;
  for (const auto& item : module.named_buffers()) {
    EXPECT_TRUE(close(item.value(), file.at(after + "/" + item.key()), tolerance))
        << item.key() << " after the call";
    seen.insert(item.key());
  }
  expect_same_names(file.below(after), seen, "buffer");
}

void expect_input_gradients(const Named& inputs, const GoldenFile& file, const std::string& of_case,
                            double tolerance) {
  const std::string prefix = of_case + "/gradient/input";
  std::set<std::string> seen;
  for (const auto& [name, leaf] : inputs) {
    const bool expected = file.has(prefix + "/" + name);
    EXPECT_EQ(leaf.grad().defined(), expected) << "gradient of input " << name;
    if (!expected) continue;
    EXPECT_TRUE(close(leaf.grad(), file.at(prefix + "/" + name), tolerance))
        << "gradient of input " << name;
    seen.insert(name);
  }
  expect_same_names(file.below(prefix), seen, "input");
}

}  // namespace adassl::testing
