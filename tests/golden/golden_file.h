#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "adassl/nn/compute.h"
#include "adassl/storage/safetensors.h"

namespace adassl::testing {

using Named = std::vector<std::pair<std::string, Tensor>>;

/// Tensors that PyTorch wrote: tests/golden/data/NAME.safetensors. See tools/golden/README.md.
class GoldenFile {
 public:
  /// Floating-point tensors are handed out in this type.
  explicit GoldenFile(const std::string& name, torch::ScalarType type = torch::kFloat64);

  torch::ScalarType type() const { return type_; }
  Tensor at(const std::string& name) const;
  /// A leaf, so that the gradient of an input can be compared.
  Tensor leaf(const std::string& name) const { return at(name).requires_grad_(); }
  bool has(const std::string& name) const { return file_.has(name); }
  /// What stands below "prefix/", by its name there.
  Named below(const std::string& prefix) const;
  const std::string& text(const std::string& key) const { return file_.metadata().at(key); }
  /// A text that is several words.
  std::vector<std::string> words(const std::string& key) const;
  /// A text that is one number, or several.
  int64_t number(const std::string& key) const { return numbers(key).at(0); }
  std::vector<int64_t> numbers(const std::string& key) const;
  const std::map<std::string, std::string>& texts() const { return file_.metadata(); }

 private:
  storage::Safetensors file_;
  torch::ScalarType type_;
};

/// Parameters and buffers by name, those of the file at "prefix/parameter" and "prefix/buffer"; the
/// module takes the file's type. Every one of the module's must be there.
void load(torch::nn::Module& module, const GoldenFile& file, const std::string& prefix = "");

/// |actual - expected| <= tolerance * |expected|, the norms over the whole tensor; the shape too.
/// An expected zero allows `tolerance` itself.
::testing::AssertionResult close(const Tensor& actual, const Tensor& expected, double tolerance);

/// Up to so many values, evenly spread, and the norm: what the files keep of a large tensor.
Tensor digest(const Tensor& tensor, int64_t values = 8);

/// The gradient of each parameter against "case/gradient/parameter/NAME", none where the file has
/// none; and each buffer against "after/NAME": all of both sides.
void expect_gradients(const torch::nn::Module& module, const GoldenFile& file,
                      const std::string& of_case, double tolerance);
void expect_buffers(const torch::nn::Module& module, const GoldenFile& file,
                    const std::string& after, double tolerance);
/// The gradient of each input leaf against "case/gradient/input/NAME"; none where the file has
/// none.
void expect_input_gradients(const Named& inputs, const GoldenFile& file, const std::string& of_case,
                            double tolerance);

constexpr double kDoubleTolerance = 1e-9;
constexpr double kFloatTolerance = 1e-5;

inline double tolerance_of(torch::ScalarType type) {
  return type == torch::kFloat64 ? kDoubleTolerance : kFloatTolerance;
}

inline std::string name_of(torch::ScalarType type) {
  return type == torch::kFloat64 ? "double" : "float";
}

/// In which numbers, and by which implementation.
struct Arithmetic {
  torch::ScalarType type;
  nn::Kernels kernels;
  const char* name;

  nn::ComputePtr compute(nn::Precision precision = nn::Precision::kFloat32) const {
    return std::make_shared<nn::Compute>(nn::Compute{.kernels = kernels, .precision = precision});
  }
};
constexpr Arithmetic kDouble{torch::kFloat64, nn::Kernels::kReference, "double"};
constexpr Arithmetic kFloat{torch::kFloat32, nn::Kernels::kReference, "float"};
constexpr Arithmetic kFusedFloat{torch::kFloat32, nn::Kernels::kFused, "fused"};

/// Names of tests hold letters, digits and underscores only.
inline std::string test_name(std::string text) {
  for (char& c : text) {
    if (c == '-') c = '_';
  }
  return text;
}

}  // namespace adassl::testing
