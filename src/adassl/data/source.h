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

/// The rows of a batch that are to be made: row `first + k` is pair `pairs[k]`, and its randomness
/// comes from stream.at(first + k).
struct PairRows {
  const random::Stream& stream;
  int64_t first = 0;
  std::span<const int64_t> pairs = {};

  int64_t count() const { return static_cast<int64_t>(pairs.size()); }
};

/// A part of the data that cannot be used, such as a damaged file.
struct Unusable {
  std::string name;
  std::string reason;

  bool operator==(const Unusable&) const = default;
};

/// A sample that could be used when the source was made cannot be read any more: its file vanished,
/// changed or is on a disk that does not answer. It is not left out on the way, because steps that
/// were taken with it could then never be computed again to the byte.
class LostSample : public Error {
 public:
  using Error::Error;
};

/// A data set of pairs. A source has no current position: a pair is a pure function of its number
/// and of the stream, so any batch of any run can be made again.
class Source {
 public:
  struct Shape {
    std::vector<int64_t> observation;     // without the batch dimension
    int64_t change = 0;                   // size of the true change, 0 if unknown
    std::vector<Column> columns = {};     // the ground truth of an observation
    bool continues = false;               // whether one x can have several futures: futures()
    bool helper = false;                  // whether there is another view of x+
    bool mirror_helper = false;           // whether there is another view of x
    Element element = Element::kFloat32;  // of the observations
    bool pair_classes = false;            // whether pairs come with the classes of x+

    /// The number of columns that are regression targets: the factors.
    int64_t factors() const;
    /// The number of the other columns: the classes.
    int64_t classes() const { return static_cast<int64_t>(columns.size()) - factors(); }
  };

  virtual ~Source() = default;
  virtual Shape shape() const = 0;
  /// The number of pairs; nullopt if they are generated without end. Then the number of a pair is
  /// its row.
  virtual std::optional<int64_t> pair_count() const { return {}; }
  /// Makes these rows of a batch whose arrays are already allocated. Several threads may call this
  /// at once.
  virtual void make_pairs(const PairRows& rows, Batch& batch) const = 0;

  /// The populations that probes can ask for; the first is the training population.
  virtual std::vector<std::string> populations() const = 0;
  virtual Samples samples(const std::string& population, const random::Stream& stream,
                          int64_t count) const = 0;
  /// The samples first ... first + count - 1 of such a call, for callers that want them in pieces.
  /// Without an override the ones before them are made, too, and dropped. Several threads may call
  /// both at once.
  virtual Samples samples_from(const std::string& population, const random::Stream& stream,
                               int64_t first, int64_t count) const;
  /// Whether samples_from makes samples without those before them, so that threads can share a
  /// draw.
  virtual bool makes_samples_apart() const { return false; }
  /// The population on which probes are scored; they are fitted on the first one.
  virtual std::string held_out() const { return populations().front(); }
  /// The population on which probes are scored during training.
  virtual std::string watched() const { return held_out(); }
  /// The size of a population that is a fixed list; nullopt otherwise. Sample i of a fixed list
  /// does not depend on the stream, and requesting more samples is an error.
  virtual std::optional<int64_t> fixed_size(const std::string& /*population*/) const { return {}; }
  /// The number of different samples in a population; nullopt if they are generated without end.
  virtual std::optional<int64_t> population_size(const std::string& population) const {
    return fixed_size(population);
  }
  /// `sources` held-out observations, from number `first` on, each with `each` futures. Only for
  /// sources whose shape has `continues`.
  virtual Futures futures(const random::Stream&, int64_t /*first*/, int64_t /*sources*/,
                          int64_t /*each*/) const {
    throw Error("[data] this source does not provide several futures of one x");
  }

  /// What was found to be unusable when the source was made; no pair contains it.
  virtual std::vector<Unusable> unusable() const { return {}; }
  /// Replaces this list by the one that a run began with, so that the run continues with the same
  /// pairs. Error if the data no longer has one of these parts.
  virtual void leave_out(const std::vector<Unusable>& parts) {
    ADASSL_CHECK(parts.empty(), "[data] expected a source with files of its own, got one without");
  }

  /// Makes `count` pairs at once, on all threads. From a finite set the stream chooses them,
  /// without repetition as long as there are enough. `first` counts those that earlier calls with
  /// the same stream have made: pairs of a finite set then differ from theirs.
  Batch pairs(const random::Stream& stream, int64_t count, int64_t first = 0) const;

  /// Pairs on which a run is watched while it trains: at most `count`, fewer where there are fewer.
  virtual Batch watched_pairs(const random::Stream& stream, int64_t count) const {
    return pairs(stream, count);
  }
  /// Whether training never sees the watched pairs. Pairs without end are always new ones.
  virtual bool holds_pairs_out() const { return !pair_count(); }
};

/// The memory for one pair. Views that the source's shape does not have are empty. Observations are
/// either in the float spans or in the byte spans; the other ones are empty.
struct PairPlace {
  std::span<float> x, x_plus, helper, mirror_helper;
  std::span<uint8_t> x_bytes, x_plus_bytes, helper_bytes, mirror_helper_bytes;
  std::span<float> change, factors, factors_plus, classes_plus;
};

/// The memory for this row of a batch.
PairPlace place_of(Batch& batch, int64_t row);

/// A source that makes one pair at a time. Most sources need nothing else.
class PairwiseSource : public Source {
 public:
  /// Makes pair number `pair` with its own random draws. make_pairs adds the pair's name to an
  /// Error, but for a LostSample and a SystemError, which name a file.
  virtual void make_pair(int64_t pair, random::Sequence draws, const PairPlace& out) const = 0;
  /// The name of a pair in messages, such as the name of its file.
  virtual std::string name_of(int64_t pair) const { return join("pair ", pair); }

  void make_pairs(const PairRows& rows, Batch& batch) const override;
};

/// Room for `count` observations of this shape. Error when they would not fit into memory.
Array make_observations(const Source::Shape& shape, int64_t count);

/// A batch with room for `count` pairs of this shape. Error when it would not fit into memory.
Batch make_batch(const Source::Shape& shape, int64_t count);

/// The pairs that Source::pairs makes: which ones, and the stream of their randomness.
struct PairDraw {
  PairDraw(const Source& source, const random::Stream& from, int64_t count, int64_t first);

  std::vector<int64_t> numbers;
  random::Stream stream;
};

/// How many rows a thread makes at a time where threads share the rows.
inline constexpr int64_t kRowsAtOnce = 64;  // the block size of the numerical source

/// Calls work(first, count) for chunks of 0 ... total - 1, on the threads that kernels share. An
/// exception is rethrown to the caller; if there are several, that of the first chunk.
void in_chunks(int64_t total, const std::function<void(int64_t first, int64_t count)>& work);

/// The context is the seed: one seed, one trial.
using SourceEntry = Entry<Source, uint64_t>;

/// The table of contents of this folder.
const std::vector<SourceEntry>& sources();

}  // namespace adassl::data
