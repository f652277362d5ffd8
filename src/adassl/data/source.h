#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adassl/core/batch.h"
#include "adassl/core/random.h"
#include "adassl/core/table.h"

namespace adassl::data {

/// Where pairs come from. A source holds no position: what it returns is a pure function of the
/// stream it is handed, so any batch of any run can be made again.
class Source {
 public:
  struct Shape {
    std::vector<int64_t> observation;  // without the batch dimension
    int64_t change = 0;                // size of the true change, 0 where unknown
    int64_t factors = 0;               // size of the true factors, 0 where unknown
    int64_t classes = 0;               // of the labels, 0 where there are none
    bool continues = false;            // whether one x can go on in several ways: see futures()
  };

  virtual ~Source() = default;
  virtual Shape shape() const = 0;
  /// `count` pairs for training.
  virtual Batch pairs(const random::Stream& stream, int64_t count) const = 0;
  /// The populations that probes can ask for; the first is the training population.
  virtual std::vector<std::string> populations() const = 0;
  virtual Samples samples(const std::string& population, const random::Stream& stream,
                          int64_t count) const = 0;
  /// The population on which probes are scored; they are fitted on the first one.
  virtual std::string held_out() const { return populations().front(); }
  /// The population on which they are scored while a run is on its way.
  virtual std::string watched() const { return held_out(); }
  /// How many samples a population has where it is a fixed list: sample i is then the same whatever
  /// the stream, and asking for more is an error.
  virtual std::optional<int64_t> fixed_size(const std::string& /*population*/) const { return {}; }
  /// `sources` held-out observations, from number `first` on, each with `each` futures. Only for
  /// sources whose shape says so.
  virtual Futures futures(const random::Stream&, int64_t /*first*/, int64_t /*sources*/,
                          int64_t /*each*/) const {
    throw Error("[data] this source cannot continue one x in several ways");
  }
};

/// The context is the seed: one seed, one trial.
using SourceEntry = Entry<Source, uint64_t>;

/// The table of contents of this folder.
const std::vector<SourceEntry>& sources();

}  // namespace adassl::data
