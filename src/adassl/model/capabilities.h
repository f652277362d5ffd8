#pragma once

#include <string_view>
#include <vector>

#include "adassl/core/random.h"
#include "adassl/model/latent.h"
#include "adassl/model/views.h"

/// What a method may be able to do besides embedding observations. A method offers a capability by
/// deriving from it; evaluations and commands test for it with `offers<Predicts>(method)`.
namespace adassl::model {

/// Says what x+ may look like, from x alone.
class Imagines {
 public:
  static constexpr std::string_view kWhat = "imagine x+ from x";

  /// One draw of the embedding of x+ for each x: [B, ...] -> [B, d].
  virtual Tensor imagine(const Tensor& x, const random::Stream& noise) = 0;

 protected:
  ~Imagines() = default;
};

/// Predicts the embedding of x+ in separate steps, so that callers can choose r: predict(encode(x),
/// r) is compared with target(x+). Both are [B, d], in the form in which the objective compares
/// them.
class Predicts : public Imagines {
 public:
  static constexpr std::string_view kWhat = "predict x+ from x";

  virtual Tensor encode(const Tensor& x) = 0;                // e, the input of the editor
  virtual Tensor project(const Tensor& representation) = 0;  // encode(x) from represent(x)
  virtual Tensor predict(const Tensor& e, const Tensor& r) = 0;
  virtual Tensor target(const Tensor& x_plus) = 0;
  /// d_r, or 0 if the method has no r.
  virtual int64_t r_width() const = 0;
  /// An r for each row, from x alone: [B, d_r].
  virtual Tensor imagine_r(const Tensor& e, const random::Stream& noise) = 0;
  /// The expectation of imagine_r over its noise: [B, d_r].
  virtual Tensor expected_r(const Tensor& e) = 0;
  /// Whether imagine_r depends on its noise, so that one x can have several predictions.
  virtual bool samples_r() const = 0;

  /// The prediction with an r that is imagined from x.
  Tensor imagine(const Tensor& x, const random::Stream& noise) final {
    const Tensor e = encode(x);
    return predict(e, imagine_r(e, noise));
  }

 protected:
  ~Predicts() = default;
};

/// How a model uses r on a batch.
struct Usage {
  std::vector<Draw> draws;  // inferred r from x to x+ and, if symmetric, back; d_r may be 0
  Cost cost = Cost::kNone;  // the unit of the cost of r
  double inferred = 0;      // the objective with the inferred r, over all directions
  double imagined = 0;      // the objective with r imagined from x alone
  int64_t candidates = 0;   // its log bounds the information the objective can show; 0: no bound
};

/// Infers r from both halves of a pair.
class InfersR {
 public:
  static constexpr std::string_view kWhat = "infer r from a pair";

  virtual Usage usage(const Views& views, const random::Stream& noise) = 0;

 protected:
  ~InfersR() = default;
};

/// Turns embeddings into observations again.
class Reconstructs {
 public:
  static constexpr std::string_view kWhat = "reconstruct observations";

  /// The observations that embeddings [B, d] stand for, [B, ...]; pixels lie in [0, 1].
  virtual Tensor decode(const Tensor& e) = 0;

 protected:
  ~Reconstructs() = default;
};

/// The capability, or null.
template <class Capability, class MethodType>
Capability* offers(MethodType& method) {
  return dynamic_cast<Capability*>(&method);
}

}  // namespace adassl::model
