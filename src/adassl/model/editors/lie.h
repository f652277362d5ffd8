#pragma once

#include "adassl/model/editor.h"
#include "adassl/nn/layers.h"
#include "adassl/parts/editors.h"

namespace adassl::model {

/// expm(A_b) e_b with A_b = sum_k t_bk L_k, for each row b. The exponential is applied to vectors,
/// by its Taylor series in as many steps as the largest A_b asks for, so that no matrix A_b is ever
/// formed.
///   e [B, d], t [B, K], generators L [K, d, d]  ->  [B, d]
Tensor transported(const Tensor& e, const Tensor& t, const Tensor& generators);

/// LieSSL: the change is the action of a Lie group on the embedding, t(e, r) = expm(sum_k r_k L_k)
/// e, with learned generators L_k. (Ibrahim, Bouchacourt and Morcos, 2022; re-implemented from a
/// description)
class LieEditor final : public Editor, public nn::Initialised {
 public:
  using Options = parts::LieEditorOptions;
  LieEditor(const Options& options, const EditorContext& context);
  Tensor edit(const Tensor& e, const Tensor& r) override;
  /// Entries are normal with deviation 1 / d.
  void initialise(const random::Stream& stream) override;
  /// As if one step of the series were enough.
  nn::Footprint footprint() const override;

 private:
  Tensor generators_;  // [K, d, d]; undefined without r
};

}  // namespace adassl::model
