#pragma once

/// The library in one header: train from a configuration, load the run that results, embed with it.
///
///     adassl::train(adassl::Config::from_file("pairs.toml"), "runs/mine");
///     const adassl::Run run("runs/mine");
///     adassl::write_npy("z.npy", run.embed(adassl::read_npy("x.npy")));
///
/// A mistake in what is passed in throws Error, whose what() is one line; SystemError, an Error,
/// when the disk refuses; Failure when nobody made a mistake, such as a loss that is not finite.
/// This header does not include LibTorch. docs/LIBRARY.md says more.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adassl/core/batch.h"   // Array
#include "adassl/core/config.h"  // Config
#include "adassl/core/error.h"   // Error, Failure
#include "adassl/data/source.h"  // data::PairwiseSource, to derive from

namespace adassl {

namespace study {
struct Tables;
}

/// The parts that a configuration can name: those of the library, and your own.
class Parts {
 public:
  Parts();
  Parts(Parts&&) noexcept;
  Parts& operator=(Parts&&) noexcept;
  ~Parts();

  /// Adds a data source: a class that derives from data::Source (or data::PairwiseSource), with
  /// Options and a constructor from (Options, uint64_t seed). `data.kind` selects it by its name.
  template <class T>
  Parts& add_source() {
    return add(entry<T, data::Source, uint64_t>());
  }
  Parts& add(const data::SourceEntry& source);

  /// All tables, to add parts that are written with LibTorch: methods, encoders, evaluations, ...
  /// Include "adassl/study/tables.h" for it.
  study::Tables& tables() { return *tables_; }
  const study::Tables& tables() const { return *tables_; }

 private:
  std::unique_ptr<study::Tables> tables_;
};

/// The numbers of an evaluation by name, such as "r2_pz".
using Metrics = std::map<std::string, double>;

/// How far a training has come.
struct Progress {
  int64_t step = 0;    // steps done so far
  int64_t steps = 0;   // steps to do in all
  Metrics terms = {};  // of the loss at this step: "loss", "ssl", ...
};

/// Is called after each training step. If it returns false, the run is saved and stopped.
using OnStep = std::function<bool(const Progress&)>;

struct Outcome {
  int64_t step = 0;       // steps done so far
  bool finished = false;  // false if the run was stopped; resume() continues it
  Metrics metrics = {};   // of the final evaluation; empty until the run is finished
};

/// Trains a new run in a new or empty directory, evaluates it, and writes its page. Without
/// `on_step` it prints its progress, as the program does; with it, it prints nothing but warnings.
Outcome train(Config config, const std::filesystem::path& directory, const Parts& parts = {},
              const OnStep& on_step = {});

/// Continues a run that was stopped or killed: the result is the same, bit for bit, as without the
/// interruption. A finished run is left as it is.
Outcome resume(const std::filesystem::path& directory, const Parts& parts = {},
               const OnStep& on_step = {});

/// Evaluates the newest checkpoint once more and appends the records to the run. `overrides` are
/// such as "evaluate.regression.test_samples=5000".
Metrics evaluate(const std::filesystem::path& directory,
                 const std::vector<std::string>& overrides = {}, const Parts& parts = {});

/// The model of a run, as its newest intact checkpoint has it. It needs neither the data on which
/// it was trained nor the class that made them. Calls from several threads wait for one another;
/// each call uses as many threads as the run's configuration says.
class Run {
 public:
  explicit Run(const std::filesystem::path& directory, const Parts& parts = {});
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  /// The embeddings of N observations: [N, ...] -> [N, d]. x has the shape and the type of the
  /// observations on which the model was trained. Rows of numbers are those of your file: they are
  /// standardised as the run did it (samples.mean and samples.deviation of its config.toml).
  Array embed(const Array& x) const;
  /// The layer before the projector, if the encoder has one: [N, ...] -> [N, D].
  Array represent(const Array& x) const;

  const std::vector<int64_t>& observation() const;  // the shape of one observation
  Element element() const;                          // the type of its numbers
  const std::string& method() const;                // such as "adassl-v"
  int64_t step() const;                             // training steps done

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

/// An array from a .npy file of float32, float64 (rounded to float32) or uint8 numbers.
Array read_npy(const std::filesystem::path& path);
/// Replaces the file atomically.
void write_npy(const std::filesystem::path& path, const Array& array);

}  // namespace adassl
