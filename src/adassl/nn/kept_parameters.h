#pragma once

#include <cstdint>
#include <vector>

#include "adassl/nn/torch.h"

namespace adassl::nn {

/// The parameters that a backward pass reads again. It records their version counters at
/// construction, so that the backward pass can detect an in-place change since the forward pass,
/// for example by an optimiser step.
class KeptParameters {
 public:
  KeptParameters() = default;
  explicit KeptParameters(std::vector<Tensor> parameters) : parameters_(std::move(parameters)) {
    for (const Tensor& p : parameters_) versions_.push_back(version_of(p));
  }

  /// Throws if a parameter was changed. `where` starts the message, for example "[mlp] a
  /// parameter was changed ...".
  void require_unchanged(const char* where) const {
    for (size_t i = 0; i < parameters_.size(); ++i) {
      TORCH_CHECK(version_of(parameters_[i]) == versions_[i], "[", where,
                  "] a parameter was changed between the forward pass and its gradient");
    }
  }
  const Tensor& operator[](size_t i) const { return parameters_[i]; }
  size_t size() const { return parameters_.size(); }

 private:
  static int64_t version_of(const Tensor& p) {
    return p.defined() ? static_cast<int64_t>(p._version()) : 0;
  }
  std::vector<Tensor> parameters_;  // undefined where a layer lacks this parameter
  std::vector<int64_t> versions_;   // one per parameter; 0 where it is undefined
};

}  // namespace adassl::nn
