#include "adassl/study/run.h"

#include <cstring>
#include <iostream>
#include <optional>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/records/run_records.h"
#include "adassl/storage/file.h"
#include "adassl/storage/json_lines.h"
#include "adassl/study/carry_out.h"
#include "adassl/study/evaluate.h"
#include "adassl/study/quarantine.h"
#include "adassl/study/restore.h"
#include "adassl/study/sample_list.h"
#include "adassl/training/checkpoint.h"
#include "adassl/training/interrupt.h"

namespace adassl::study {
namespace {

using training::State;

constexpr const char* kConfigMark = "# config.toml: ";

/// The content of given.toml: the configuration as the user gave it, and the hash of the resolved
/// one.
std::string given_text(const std::string& given, const Experiment& experiment) {
  return given + kConfigMark + experiment.hash + "\n";
}

/// Error when config.toml was edited since the run was created. Before the first checkpoint nothing
/// else would detect that.
void require_own_config(const storage::RunDirectory& run) {
  std::error_code code;
  if (!std::filesystem::exists(run.given(), code)) return;
  const std::string given = storage::read_file(run.given(), records::kLargestConfig);
  const size_t at = given.rfind(kConfigMark);
  if (at == std::string::npos) return;  // written by an older version
  const std::string expected = text::trim(given.substr(at + std::strlen(kConfigMark)));
  ADASSL_CHECK(expected == records::hash_of(run), "[", run.config().string(), "] was changed (",
               records::hash_of(run), ", was ", expected,
               "): a run is resumed with the configuration it was started with");
}

/// The experiment of a run. Its hash is that of the file config.toml, not that of the configuration
/// which this version of the program resolves from it: a new option must not make old runs
/// unusable. With overrides it is the hash of the changed configuration.
Experiment experiment_of(const storage::RunDirectory& run,
                         const std::vector<std::string>& overrides, const Tables& tables,
                         Begin begin) {
  require_own_config(run);
  Config config = Config::from_file(run.config());
  for (const std::string& assignment : overrides) config.override_with(assignment);
  Experiment experiment = build_experiment(std::move(config), tables, begin);
  restore_quarantine(run, *experiment.source);
  if (overrides.empty()) experiment.hash = records::hash_of(run);
  return experiment;
}

}  // namespace

RunOutcome start_run(Config config, const std::filesystem::path& directory,
                     const Conduct& conduct) {
  const std::string given = config.given();
  std::optional<training::NothingToSave> nothing_yet(training::kStoppedBeforeSteps);
  Experiment experiment = build_experiment(std::move(config), conduct.tables);
  training::require_memory(experiment.loop, *experiment.source, *experiment.method);
  nothing_yet.reset();
  const auto run = storage::RunDirectory::create(directory);
  storage::write_atomically(run.given(), given_text(given, experiment));
  write_quarantine(run, *experiment.source);
  storage::write_atomically(run.config(), experiment.resolved);
  return carry_out(experiment, run, /*resumed=*/false, conduct);
}

RunOutcome resume_run(const std::filesystem::path& directory, const Conduct& conduct) {
  const auto run = storage::RunDirectory::open(directory, storage::RunDirectory::Lock::kYes);
  std::vector<std::string> overrides;
  if (conduct.threads > 0) overrides.push_back(join("compute.threads=", conduct.threads));
  const bool started = training::has_checkpoint(run.checkpoints());
  std::optional<training::NothingToSave> nothing_new(training::kStoppedBeforeSteps);
  Experiment experiment =
      experiment_of(run, overrides, conduct.tables, started ? Begin::kRestored : Begin::kFresh);
  nothing_new.reset();
  experiment.hash = records::hash_of(run);  // the number of threads does not change it
  if (records::is_finished(run)) {
    training::Log log(run.log());
    if (!std::filesystem::exists(run.report())) write_page(experiment, run, conduct, log);
    return {experiment.loop.steps, 0, true};
  }
  return carry_out(experiment, run, /*resumed=*/true, conduct);
}

Trained load_run(const storage::RunDirectory& run, const std::vector<std::string>& overrides,
                 const Tables& tables) {
  Trained out{experiment_of(run, overrides, tables, Begin::kRestored), 0};
  State state(*out.experiment.method, out.experiment.optimizer, out.experiment.computation);
  const auto warn = [](const std::string& line) { std::cerr << "warning: " << line << "\n"; };
  const auto loaded =
      training::load_newest_checkpoint(state, run.checkpoints(), records::hash_of(run), warn);
  ADASSL_CHECK(loaded || state.parameters.slices.empty(), "[", run.path().string(),
               "] has no checkpoint yet");
  if (loaded) {
    const std::string change = change_since(loaded->origin.data, *out.experiment.source);
    if (!change.empty()) warn(join("[", run.path().string(), "] ", change));
  }
  out.step = state.step;
  return out;
}

records::Records evaluate_run(const std::filesystem::path& directory,
                              const std::vector<std::string>& overrides, const Tables& tables,
                              Weights weights) {
  for (const std::string& assignment : overrides) {
    ADASSL_CHECK(assignment.starts_with("evaluate.") || assignment.starts_with("compute."),
                 "[evaluate] expected overrides of evaluate.* or compute.*, got '", assignment,
                 "'");
  }
  const auto run = storage::RunDirectory::open(directory, storage::RunDirectory::Lock::kYes);
  const StatusGone status(run);
  const bool is_trained = weights == Weights::kTrained;
  const Trained loaded = is_trained
                             ? load_run(run, overrides, tables)
                             : Trained{experiment_of(run, overrides, tables, Begin::kRestored), 0};
  for (const std::string& line : loaded.experiment.fallbacks) std::cerr << line << "\n";
  const records::Records records =
      is_trained ? evaluate(loaded.experiment, run, loaded.step, records::kEvaluation, std::cerr)
                 : evaluate_untrained(loaded.experiment, run, std::cerr);
  try {
    storage::JsonLinesWriter writer(run.records());
    append(writer, records);
    writer.sync_or_throw();
  } catch (const WriteError& error) {
    std::cerr << "warning: " << error.what() << "; the results are only printed\n";
  }
  return records;
}

}  // namespace adassl::study
