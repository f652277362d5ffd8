#pragma once

#include <string_view>
#include <vector>

#include "adassl/core/random.h"
#include "adassl/model/latent.h"
#include "adassl/model/views.h"

/// What a method may be able to do besides embedding what it sees. A method offers a capability by
/// deriving from it; evaluations and commands ask with `offers<Predicts>(method)`.
namespace adassl::model {

/// Says where x+ is expected, in pieces, for whoever tries an r of his own: predict(encode(x), r)
/// is compared with target(x+), both [B, d] as the objective compares them.
class Predicts {
 public:
  static constexpr std::string_view kWhat = "predict x+ from x";

  virtual Tensor encode(const Tensor& x) = 0;                // e, as it is edited
  virtual Tensor project(const Tensor& representation) = 0;  // e of represent(x)
  virtual Tensor predict(const Tensor& e, const Tensor& r) = 0;
  virtual Tensor target(const Tensor& x_plus) = 0;
  /// d_r; 0 without an r.
  virtual int64_t r_width() const = 0;
  /// An r for each row, from x alone: [B, d_r].
  virtual Tensor imagine_r(const Tensor& e, const random::Stream& noise) = 0;

  /// Where the method expects x+, given x alone; one draw.
  Tensor imagine(const Tensor& x, const random::Stream& noise) {
    const Tensor e = encode(x);
    return predict(e, imagine_r(e, noise));
  }

 protected:
  ~Predicts() = default;
};

/// How a model uses r on a batch.
struct Usage {
  std::vector<Draw> draws;  // r as inferred, from x to x+ and, if symmetric, back; d_r may be 0
  Cost cost = Cost::kNone;  // the unit of what r costs
  double inferred = 0;      // the objective with that r, of all directions
  double imagined = 0;      // the objective with r imagined from x alone
  int64_t candidates = 0;   // log of it bounds what the objective can show; 0: no such bound
};

/// Infers r from both halves of a pair.
class InfersR {
 public:
  static constexpr std::string_view kWhat = "infer r from a pair";

  virtual Usage usage(const Views& views, const random::Stream& noise) = 0;

 protected:
  ~InfersR() = default;
};

/// The capability, or null.
template <class Capability, class MethodType>
Capability* offers(MethodType& method) {
  return dynamic_cast<Capability*>(&method);
}

}  // namespace adassl::model
