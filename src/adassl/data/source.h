#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adassl/core/batch.h"
#include "adassl/core/error.h"
#include "adassl/core/random.h"
#include "adassl/core/table.h"

namespace adassl::data {

/// Some rows of a batch that are to be made: row `first + k` is pair `pairs[k]`, and what is left
/// to chance in it comes from stream.at(first + k).
struct PairRows {
  const random::Stream& stream;
  int64_t first = 0;
  std::span<const int64_t> pairs = {};

  int64_t count() const { return static_cast<int64_t>(pairs.size()); }
};

/// Where pairs come from. A source holds no position: what it makes is a pure function of the
/// pair's number and of the stream it is handed, so any batch of any run can be made again.
class Source {
 public:
  struct Shape {
    std::vector<int64_t> observation;     // without the batch dimension
    int64_t change = 0;                   // size of the true change, 0 where unknown
    std::vector<Column> columns = {};     // what is known of an observation
    bool continues = false;               // whether one x can go on in several ways: futures()
    bool helper = false;                  // whether there is a further view of x+
    bool mirror_helper = false;           // whether there is a further view of x
    Element element = Element::kFloat32;  // of the observations

    /// How many columns are numbers to be regressed on: the factors.
    int64_t factors() const;
  };

  virtual ~Source() = default;
  virtual Shape shape() const = 0;
  /// How many pairs there are; nothing where they are generated without end. Then the number of a
  /// pair is its row.
  virtual std::optional<int64_t> pair_count() const { return {}; }
  /// Makes these rows of a batch, which has room for them. May be called by several threads at
  /// once.
  virtual void make_pairs(const PairRows& rows, Batch& batch) const = 0;

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

  /// `count` pairs at once, on all threads. Of a finite set those that the stream chooses, each at
  /// most once while there are enough.
  Batch pairs(const random::Stream& stream, int64_t count) const;
};

/// The places where one pair goes. Views that the source's shape does not have are empty; those of
/// bytes have no floats.
struct PairPlace {
  std::span<float> x, x_plus, helper, mirror_helper;
  std::span<uint8_t> x_bytes, x_plus_bytes, helper_bytes, mirror_helper_bytes;
  std::span<float> change, factors, factors_plus;
};

/// A source that makes one pair after the other, which is all that most sources have to say.
class PairwiseSource : public Source {
 public:
  /// Makes pair number `pair`; `draws` are its own. An Error is passed on with the pair's name.
  virtual void make_pair(int64_t pair, random::Sequence draws, const PairPlace& out) const = 0;
  /// What messages call a pair: the name of its file, for example.
  virtual std::string name_of(int64_t pair) const { return join("pair ", pair); }

  void make_pairs(const PairRows& rows, Batch& batch) const override;
};

/// A batch with room for `count` pairs of this shape. Error when it would not fit into memory.
Batch make_batch(const Source::Shape& shape, int64_t count);

/// work(first, count) for chunks of 0 ... total - 1, on the threads that kernels share. What it
/// throws reaches the caller; of several, that of the first chunk.
void in_chunks(int64_t total, const std::function<void(int64_t first, int64_t count)>& work);

/// The context is the seed: one seed, one trial.
using SourceEntry = Entry<Source, uint64_t>;

/// The table of contents of this folder.
const std::vector<SourceEntry>& sources();

}  // namespace adassl::data
