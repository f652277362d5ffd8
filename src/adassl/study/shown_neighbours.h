#pragma once

#include <vector>

#include "adassl/data/splits.h"
#include "adassl/records/record.h"
#include "adassl/study/evaluate.h"

namespace adassl::study {

/// The samples whose neighbours are shown, and those among which neighbours are looked for.
struct ShownSamples {
  std::vector<int64_t> asked;
  std::vector<int64_t> among;  // ascending; holds all of `asked`
};

/// Candidates are the first 2,000 validation samples, which are in random order, and as many
/// training samples, spread evenly, as there is room for; never test samples. `count` queries are
/// spread evenly over the former or, where nothing is held out for validation, over the latter.
ShownSamples choose_shown(const data::Split& split, int64_t count);

/// The neighbours of a few fixed pictures, for those who look: which others the model finds most
/// similar. "held_out": whether the queries are validation samples.
///   {"kind": "neighbours", "step": 0, "among": 2000, "held_out": true,
///    "samples": [{"name": "a.jpg", "others": [{"name": "b.jpg", "similarity": 0.91}, ...]}, ...]}
/// Nothing if the data are not pictures in files, those of the user or of a named data set, or if
/// evaluate.shown_samples is 0.
std::optional<records::Record> shown_neighbours(const Experiment& experiment, int64_t step);

/// Records them before the first step, after an eighth and a half of the steps, and at the end.
class NeighboursObserver final : public training::Observer {
 public:
  NeighboursObserver(const Experiment& experiment, const storage::RunDirectory& run,
                     training::Log& log)
      : experiment_(experiment), run_(run), log_(log) {}

  void on_start(int64_t step) override { record_at(step); }
  training::Flow on_step(const training::StepReport& report) override {
    record_at(report.step);
    return training::Flow::kContinue;
  }
  /// Once for each of these steps. Also called for the step at which a run is resumed.
  void record_at(int64_t step) const;

 private:
  const Experiment& experiment_;
  const storage::RunDirectory& run_;
  training::Log& log_;
};

}  // namespace adassl::study
