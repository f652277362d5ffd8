#pragma once

#include <memory>
#include <vector>

#include "adassl/core/table.h"
#include "adassl/nn/compute.h"
#include "adassl/nn/mlp.h"

namespace adassl::model {

struct EditorContext {
  int64_t embedding = 0;  // d
  int64_t r = 0;          // d_r, 0 without a latent
  nn::ComputePtr compute = nn::default_compute();
};

/// How does r move an embedding?   e_hat = t(e, r)
class Editor : public torch::nn::Module {
 public:
  virtual Tensor edit(const Tensor& e, const Tensor& r) = 0;  // [B, d], [B, d_r] -> [B, width]
  /// The width of e_hat: d, or larger for editors that pass r on to the objective's predictor.
  virtual int64_t width(const EditorContext& context) const { return context.embedding; }
  /// For the estimate of memory: of one edit.
  virtual nn::Footprint footprint() const { return nn::footprint_of(*this); }
};

using EditorEntry = Entry<Editor, const EditorContext&>;
const std::vector<EditorEntry>& editors();

}  // namespace adassl::model
