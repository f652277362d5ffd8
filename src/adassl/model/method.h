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
#include "adassl/nn/compute.h"
#include "adassl/parts/methods.h"

namespace adassl::model {

struct Loss {
  Tensor total;                                  // []
  std::vector<std::pair<Metric, Tensor>> terms;  // terms to log: "ssl", "reg", ...
};

/// A way to learn from pairs. A method receives observations and decides itself which views it
/// encodes, and with which network. capabilities.h lists what else a method may be able to do.
class Method : public torch::nn::Module {
 public:
  /// The loss at training step 1, 2, ...; all randomness comes from `noise`.
  virtual Loss forward(const Views& views, int64_t step, const random::Stream& noise) = 0;
  /// Called after the parameters were initialised, to make copies of them.
  virtual void initialised() {}
  /// Called after the optimiser's step 1, 2, ... of `horizon`, for example to update moving
  /// averages.
  virtual void after_step(int64_t /*step*/, int64_t /*horizon*/) {}

  /// The embedding that evaluations use: [B, ...] -> [B, d].
  virtual Tensor embed(const Tensor& x) = 0;
  /// The representation before the projector: [B, ...] -> [B, D].
  virtual Tensor represent(const Tensor& x) = 0;

  /// A rough estimate of the bytes that a training step needs for a batch of this size; 0: unknown.
  virtual double bytes(int64_t /*batch*/) const { return 0; }
  /// Lines for the log about how its parameters began. Those that begin with "warning: " are shown
  /// on the terminal, too.
  virtual std::vector<std::string> notes() const { return {}; }
  /// The module that is exported as the encoder; null for methods without parameters.
  virtual std::shared_ptr<torch::nn::Module> encoder() { return nullptr; }
};

/// The bytes of the parameters while they are trained: the values, their gradients, two moments,
/// and the factor by which weight decay shrinks each. Those of a target network have values only.
double bytes_of_state(const torch::nn::Module& module);

struct MethodContext {
  std::vector<int64_t> observation;  // shape of one x
  int64_t change = 0;                // width of the true change, 0 if unknown
  uint64_t seed = 0;
  PartTables parts = {};
  nn::ComputePtr compute = nn::default_compute();
  bool restored = false;  // a checkpoint will follow: files that training starts from are not read
};

/// A named method and how it is made.
struct MethodEntry : parts::MethodDescription {
  std::shared_ptr<Method> (*make)(Config&, const MethodContext&);
};

/// The table of contents of methods/.
const std::vector<MethodEntry>& methods();

/// The entry of a method that is a class with Options and a constructor from (Options,
/// MethodContext). The options are read from the section [model].
template <class T>
MethodEntry method_entry() {
  return {{part_description<typename T::Options>(), true},
          [](Config& config, const MethodContext& context) {
            return std::static_pointer_cast<Method>(
                std::make_shared<T>(config.read<typename T::Options>("model"), context));
          }};
}

/// Reads the key `method` and the sections of its parts, and initialises the parameters from the
/// seed.
std::shared_ptr<Method> make_method(Config& config, const MethodContext& context,
                                    const std::vector<MethodEntry>& table = methods());

}  // namespace adassl::model
