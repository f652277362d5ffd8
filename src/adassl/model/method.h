#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adassl/core/config.h"
#include "adassl/core/random.h"
#include "adassl/model/latent.h"
#include "adassl/model/views.h"
#include "adassl/nn/torch.h"

namespace adassl::model {

struct Loss {
  Tensor total;                                       // []
  std::vector<std::pair<std::string, Tensor>> terms;  // what is logged: "ssl", "reg", ...
};

/// How a model uses r on a batch.
struct Usage {
  std::vector<Draw> draws;  // r as inferred, from x to x+ and, if symmetric, back; d_r may be 0
  Cost cost = Cost::kNone;  // the unit of what r costs
  double inferred = 0;      // the objective with that r, of all directions
  double imagined = 0;      // the objective with r imagined from x alone
  int64_t candidates = 0;   // log of it bounds what the objective can show; 0: no such bound
};

/// A way to learn from pairs. It receives observations, so that a method decides itself which views
/// it encodes, and by which network.
class Method : public torch::nn::Module {
 public:
  /// The loss at training step 1, 2, ...; all randomness comes from `noise`.
  virtual Loss forward(const Views& views, int64_t step, const random::Stream& noise) = 0;
  /// After the parameters were drawn: copies of them are made now.
  virtual void initialised() {}
  /// After the optimiser's step 1, 2, ... of `horizon`: moving averages and the like.
  virtual void after_step(int64_t /*step*/, int64_t /*horizon*/) {}

  /// What evaluations see of x: [B, ...] -> [B, d].
  virtual Tensor embed(const Tensor& x) = 0;
  /// Before the projector: [B, ...] -> [B, D].
  virtual Tensor represent(const Tensor& x) = 0;

  // A prediction in pieces, for whoever tries an r of his own: predict(encode(x), r) is compared
  // with target(x+), both [B, d] as the objective compares them.
  virtual Tensor project(const Tensor& representation) = 0;  // -> e, as edited
  Tensor encode(const Tensor& x) { return project(represent(x)); }
  virtual Tensor imagine_r(const Tensor& e, const random::Stream& noise) = 0;  // [B, d_r]
  virtual Tensor predict(const Tensor& e, const Tensor& r) = 0;
  virtual Tensor target(const Tensor& x_plus) = 0;
  virtual int64_t r_width() const = 0;  // d_r
  /// Where the method expects x+, given x alone; one draw.
  Tensor imagine(const Tensor& x, const random::Stream& noise) {
    const Tensor e = encode(x);
    return predict(e, imagine_r(e, noise));
  }
  /// Nothing where a method has no objective to ask.
  virtual std::optional<Usage> usage(const Views&, const random::Stream&) { return {}; }

  /// Bytes that a training step needs for a batch of this size, roughly.
  virtual double bytes(int64_t batch) const = 0;
  /// The part that is exported as "the encoder"; nothing for methods without parameters.
  virtual std::shared_ptr<torch::nn::Module> encoder() { return nullptr; }
};

struct MethodContext {
  std::vector<int64_t> observation;  // shape of one x
  int64_t change = 0;                // width of the true change, 0 where unknown
  uint64_t seed = 0;
};

/// A named method: parts it fixes, parts it merely suggests, and how it is made.
struct MethodEntry {
  std::string_view name;
  std::string_view summary;
  std::vector<std::pair<std::string, std::string>> fixed;
  std::vector<std::pair<std::string, std::string>> suggested;
  std::shared_ptr<Method> (*make)(Config&, const MethodContext&);
};

const std::vector<MethodEntry>& methods();

/// Reads `method` and the sections of its parts; parameters are initialised from the seed.
std::shared_ptr<Method> make_method(Config& config, const MethodContext& context);

}  // namespace adassl::model
