#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adassl/core/config.h"
#include "adassl/core/metric.h"
#include "adassl/core/random.h"
#include "adassl/model/part_tables.h"
#include "adassl/model/views.h"
#include "adassl/nn/torch.h"
#include "adassl/parts/methods.h"

namespace adassl::model {

struct Loss {
  Tensor total;                                  // []
  std::vector<std::pair<Metric, Tensor>> terms;  // what is logged: "ssl", "reg", ...
};

/// A way to learn from pairs. It receives observations, so that a method decides itself which views
/// it encodes, and by which network. What else it can do stands in capabilities.h.
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

  /// Bytes that a training step needs for a batch of this size, roughly; 0: nobody knows.
  virtual double bytes(int64_t /*batch*/) const { return 0; }
  /// The part that is exported as "the encoder"; nothing for methods without parameters.
  virtual std::shared_ptr<torch::nn::Module> encoder() { return nullptr; }
};

struct MethodContext {
  std::vector<int64_t> observation;  // shape of one x
  int64_t change = 0;                // width of the true change, 0 where unknown
  uint64_t seed = 0;
  PartTables parts = {};
};

/// A named method and how it is made.
struct MethodEntry : parts::MethodDescription {
  std::shared_ptr<Method> (*make)(Config&, const MethodContext&);
};

/// The table of contents of methods/.
const std::vector<MethodEntry>& methods();

/// For a method in a file of its own: a class with Options and a constructor from (Options,
/// MethodContext); the options are read from [model].
template <class T>
MethodEntry method_entry() {
  return {{part_description<typename T::Options>()},
          [](Config& config, const MethodContext& context) {
            return std::static_pointer_cast<Method>(
                std::make_shared<T>(config.read<typename T::Options>("model"), context));
          }};
}

/// Reads `method` and the sections of its parts; parameters are initialised from the seed.
std::shared_ptr<Method> make_method(Config& config, const MethodContext& context,
                                    const std::vector<MethodEntry>& table = methods());

}  // namespace adassl::model
