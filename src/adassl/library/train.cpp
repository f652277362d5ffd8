#include "adassl/adassl.h"
#include "adassl/app/write_report.h"
#include "adassl/library/libtorch.h"
#include "adassl/records/rule.h"
#include "adassl/records/run_records.h"
#include "adassl/study/run.h"
#include "adassl/training/loop.h"

namespace adassl {
namespace {

namespace fs = std::filesystem;

/// Tells the user's function of each step.
class Teller final : public training::Observer {
 public:
  explicit Teller(OnStep on_step) : on_step_(std::move(on_step)) {}

  training::Flow on_step(const training::StepReport& report) override {
    Progress progress{report.step, report.steps};
    for (const auto& [metric, value] : report.terms) progress.terms[metric.name] = value;
    return on_step_(progress) ? training::Flow::kContinue : training::Flow::kStop;
  }

 private:
  OnStep on_step_;
};

study::Conduct conduct_with(const Parts& parts, const OnStep& on_step) {
  study::Conduct out;
  if (on_step) {
    out.quiet = true;
    out.observers.push_back(std::make_shared<Teller>(on_step));
  }
  out.write_page = app::write_run_report;
  out.tables = parts.tables();
  return out;
}

/// The outcome, with the numbers of the final evaluation if there is one.
Outcome outcome_of(const study::RunOutcome& run_outcome, const fs::path& directory) {
  const auto run = storage::RunDirectory::open(directory, storage::RunDirectory::Lock::kNo);
  Outcome out{run_outcome.step, records::is_finished(run)};
  if (!out.finished) return out;
  for (const auto& record : records::counting(records::read_records(run), records::hash_of(run))) {
    if (record.kind == records::kEvaluation) out.metrics = record.metrics;
  }
  return out;
}

}  // namespace

Outcome train(Config config, const fs::path& directory, const Parts& parts, const OnStep& on_step) {
  const auto run = library::call(
      [&] { return study::start_run(std::move(config), directory, conduct_with(parts, on_step)); });
  return outcome_of(run, directory);
}

Outcome resume(const fs::path& directory, const Parts& parts, const OnStep& on_step) {
  const auto run =
      library::call([&] { return study::resume_run(directory, conduct_with(parts, on_step)); });
  return outcome_of(run, directory);
}

Metrics evaluate(const fs::path& directory, const std::vector<std::string>& overrides,
                 const Parts& parts) {
  const auto records =
      library::call([&] { return study::evaluate_run(directory, overrides, parts.tables()); });
  return records.empty() ? Metrics{} : records.front().metrics;
}

}  // namespace adassl
