#include "trust/scenario.h"

#include <sstream>
#include <stdexcept>

#include "support/temporary_directory.h"
#include "trust/compare.h"

namespace adassl::trust {
namespace {

namespace fs = std::filesystem;
using testing::bytes_of;
using testing::put;

fs::path run_in(const fs::path& root) { return root / "run"; }

/// The configuration lies beneath the root, so that reading it can fail too.
void put_config(const fs::path& root, const Bases&) {
  fs::create_directories(root);
  fs::copy_file(fs::path(ADASSL_SOURCE_DIR) / "configs/numerical-complex-adassl-v.toml",
                root / "config.toml");
}

void copy_run(const fs::path& base, const fs::path& root) {
  fs::create_directories(root);
  fs::copy(base, run_in(root), fs::copy_options::recursive);
}

std::string difference_of_run(const fs::path& root, const fs::path& reference) {
  return difference_between_runs(run_in(root), run_in(reference));
}

/// Each evaluation appends a record; one that failed at its end may have done so too.
std::string difference_of_evaluation(const fs::path& root, const fs::path& reference) {
  const fs::path records = run_in(root) / "records.jsonl";
  const fs::path expected = run_in(reference) / "records.jsonl";
  const std::string difference = difference_between_records(records, expected, Repeated::kMay);
  if (!difference.empty()) return difference;
  if (testing::lines_in(records) < testing::lines_in(expected)) return "a record is missing";
  return fault_of_page(run_in(root) / "report.html");
}

std::string difference_of_page(const fs::path& root, const fs::path& reference) {
  if (bytes_of(root / "page.html") != bytes_of(reference / "page.html")) return "page.html differs";
  return difference_between_runs(run_in(root), run_in(reference));
}

void put_study(const fs::path& root, const Bases&) {
  fs::create_directories(root);
  put(root / "small.toml",
      "method = \"infonce\"\n[data]\nmixing_candidates = 10\n[encoder]\nhidden = [8]\n"
      "[train]\nbatch = 16\nlog_every = 2\ncheckpoint_every = 3\n"
      "[evaluate]\nsuites = [\"regression\"]\nprobe_samples = 64\n"
      "[evaluate.regression]\ntrain_samples = 128\ntest_samples = 128\n"
      "[compute]\nthreads = 1\n");
  put(root / "study.toml",
      "name = \"small\"\ntitle = \"Small\"\n[budgets]\nquick = {steps = 5, seeds = 1}\n"
      "[[columns]]\nmetric = \"r2_pz\"\nlabel = \"p of z\"\n"
      "[[rows]]\nname = \"one\"\nlabel = \"One\"\nconfig = \"small.toml\"\n"
      "[[rows]]\nname = \"two\"\nlabel = \"Two\"\nconfig = \"small.toml\"\n"
      "set = [\"method=aninfonce\"]\n");
}

Command study_command(const fs::path& root) {
  return {"reproduce", (root / "study.toml").string(), "--out", (root / "runs").string(), "--jobs",
          "1"};
}

std::string difference_of_study(const fs::path& root, const fs::path& reference) {
  const fs::path study = root / "runs/small/quick";
  const fs::path expected = reference / "runs/small/quick";
  for (const char* row : {"one", "two"}) {
    const fs::path run = fs::path(row) / "seed-1";
    const std::string difference = difference_between_runs(study / run, expected / run);
    if (!difference.empty()) return run.string() + ": " + difference;
  }
  const std::string records =
      difference_between_records(study / "records.jsonl", expected / "records.jsonl");
  return records.empty() ? fault_of_page(study / "report.html") : records;
}

Command resume_command(const fs::path& root) { return {"resume", run_in(root).string()}; }
Command evaluate_command(const fs::path& root) { return {"evaluate", run_in(root).string()}; }
Command report_command(const fs::path& root) {
  return {"report", run_in(root).string(), "--out", (root / "page.html").string()};
}

}  // namespace

Command train_command(const fs::path& root, const std::vector<std::string>& overrides) {
  std::vector<std::string> own = {"train.log_every=1", "train.checkpoint_every=7",
                                  "train.keep_checkpoints=2", "evaluate.at=[10]"};
  own.insert(own.end(), overrides.begin(), overrides.end());
  Command command = testing::small_train(run_in(root), own);
  command[1] = (root / "config.toml").string();
  return command;
}

Command resume_or(const Command& command, const fs::path& run) {
  return fs::exists(run / "config.toml") ? Command{"resume", run.string()} : command;
}

Bases make_bases(const fs::path& folder) {
  const fs::path errors = folder / "errors.txt";
  const auto make = [&](const std::string& name, const Fault& fault, int code) {
    const fs::path root = folder / name;
    put_config(root, {});
    const WithFault faulty(fault, root, folder / (name + ".counters"));
    const Ended ended = run_to_the_end(train_command(root), errors);
    if (ended.code != code) throw std::runtime_error("base run " + name + ": " + ended.err);
    return run_in(root);
  };
  // given.toml, config.toml, the checkpoint at step 7 and two statuses of the milestone at step 10
  // are in place, the checkpoint at step 14 is not.
  return {make("halfway", {"rename", 6, "kill", ""}, 128 + 9), make("finished", {}, 0)};
}

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all = {
      {"train", put_config, [](const fs::path& root) { return train_command(root); },
       [](const fs::path& root) { return resume_or(train_command(root), run_in(root)); },
       difference_of_run},
      {"resume", [](const fs::path& root, const Bases& bases) { copy_run(bases.halfway, root); },
       resume_command, resume_command, difference_of_run},
      {"study", put_study, study_command, study_command, difference_of_study},
      {"evaluate", [](const fs::path& root, const Bases& bases) { copy_run(bases.finished, root); },
       evaluate_command, evaluate_command, difference_of_evaluation},
      {"report", [](const fs::path& root, const Bases& bases) { copy_run(bases.finished, root); },
       report_command, report_command, difference_of_page},
  };
  return all;
}

std::string fault_of_ending(const Ended& ended, bool may_be_killed) {
  if (ended.too_late) return "it did not end within a minute";
  if (ended.code == 0) return "";
  if (ended.code == 128 + 9 && may_be_killed) return "";
  if (ended.code != 1 && ended.code != 2) return "exit code " + std::to_string(ended.code);
  size_t messages = 0;
  std::istringstream lines(ended.err);
  for (std::string line; std::getline(lines, line);) {
    const auto begins = [&](const char* with) { return line.starts_with(with); };
    if (begins("warning: ") || begins("evaluating ") || begins("[") || begins("\r")) continue;
    const bool of_a_row = line.find(" failed (exit code ") != std::string::npos;
    if (!begins("adassl: ") && !of_a_row) return "it said '" + line + "'";
    ++messages;
  }
  return messages == 1 ? "" : std::to_string(messages) + " messages instead of one";
}

}  // namespace adassl::trust
