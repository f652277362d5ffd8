#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "adassl/records/record.h"
#include "adassl/storage/json_lines.h"
#include "adassl/storage/run_directory.h"
#include "adassl/study/experiment.h"
#include "adassl/training/log.h"
#include "adassl/training/loop.h"

namespace adassl::study {

/// The kernels in use: "reference", or "fused" and the instruction set ("fused avx512").
std::string kernels_of(const Experiment& experiment);

/// The online probe: the evaluations of evaluate.watch on samples and pairs of their own, the same
/// ones at every step.
training::Terms probe(const Experiment& experiment);

/// Runs the evaluations of evaluate.suites and announces each, because some take minutes. Returns
/// one record with the numbers and, except for milestones, one for each picture, and with
/// evaluate.untrained the record of evaluate_untrained(). A signal stops it
/// between two evaluations; then it returns no records.
records::Records evaluate(const Experiment& experiment, const storage::RunDirectory& run,
                          int64_t step, std::string_view kind, std::ostream& out);

/// Fills in which run a record comes from, and which machine and program made it.
void add_context(records::Record& record, const Experiment& experiment, int64_t step);
/// Runs the same evaluations on the weights that the seed draws. Returns one record of kind
/// "untrained", or none after a signal.
records::Records evaluate_untrained(const Experiment& experiment, const storage::RunDirectory& run,
                                    std::ostream& out);

/// Appends the records, the metrics last: if they are in the file, the pictures are too.
void append(storage::JsonLinesWriter& writer, const records::Records& records);

/// Calls evaluate() for a run that is being trained and appends the records, at the end also one
/// that says whether the run has learnt. On a full disk it waits or stops, as train.on_full_disk
/// says.
records::Records evaluate_and_keep(const Experiment& experiment, const storage::RunDirectory& run,
                                   int64_t step, std::string_view kind, training::Log& log,
                                   std::ostream& out);

/// Evaluates the run at the steps of evaluate.at, once each.
class MilestoneObserver final : public training::Observer {
 public:
  MilestoneObserver(const Experiment& experiment, const storage::RunDirectory& run,
                    training::Log& log, std::ostream& out)
      : experiment_(experiment), run_(run), log_(log), out_(out) {}

  training::Flow on_step(const training::StepReport& report) override {
    evaluate_at(report.step);
    return training::Flow::kContinue;
  }

  /// Also called for the step at which a run is resumed: a signal may have stopped its evaluation.
  void evaluate_at(int64_t step) const;

 private:
  bool is_there(int64_t step) const;

  const Experiment& experiment_;
  const storage::RunDirectory& run_;
  training::Log& log_;
  std::ostream& out_;
};

}  // namespace adassl::study
