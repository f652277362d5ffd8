#include "trust/scenario.h"

#include <sstream>
#include <stdexcept>

#include "cli/photo_runs.h"
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

/// Twelve photos in four folders, one of which is no picture. They were last changed long ago, as
/// an index of checked files knows them.
void put_photos(const fs::path& root, const Bases&) {
  random::Sequence draws = random::Stream(3, "photos").at(0);
  for (int i = 0; i < 12; ++i) {
    const fs::path place = root / "photos" / ("thing " + std::to_string(i / 3));
    const fs::path photo = place / (std::to_string(i % 3) + ".png");
    fs::create_directories(place);
    if (i == 1) put(photo, "no picture");
    if (i != 1) testing::write_noise(photo, draws);
    fs::last_write_time(photo, fs::file_time_type(std::chrono::years(-150)));  // before 2174
  }
}

/// One more photo that cannot be used is one too many.
Command photos_command(const fs::path& root, const std::vector<std::string>& more = {}) {
  std::vector<std::string> own = {"samples.index=" + (root / "photos.index").string(),
                                  "samples.tolerate=0.09",
                                  "train.steps=3",
                                  "train.batch=2",
                                  "train.checkpoint_every=2",
                                  "evaluate.suites=[]",
                                  "evaluate.watch=[]",
                                  "evaluate.shown_samples=1"};
  own.insert(own.end(), more.begin(), more.end());
  return testing::train_on_photos(root / "photos", run_in(root), own);
}

Command cached_command(const fs::path& root) {
  return photos_command(root, {"samples.cache=" + (root / "photos.cache").string()});
}

/// The names in quarantine.jsonl. Why the disk does not give a damaged photo may change.
std::vector<std::string> quarantined(const fs::path& root) {
  std::vector<std::string> out;
  std::istringstream lines(bytes_of(run_in(root) / "quarantine.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    out.push_back(line.substr(0, line.find("\"reason\"")));
  }
  return out;
}

std::string difference_of_photos(const fs::path& root, const fs::path& reference) {
  if (quarantined(root) != quarantined(reference)) return "quarantine.jsonl differs";
  if (bytes_of(root / "photos.cache") != bytes_of(reference / "photos.cache")) {
    return "photos.cache differs";
  }
  if (fs::exists(root / "photos.cache.part")) return "photos.cache.part is left";
  return difference_of_run(root, reference);
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
      {"photos", put_photos, [](const fs::path& root) { return photos_command(root); },
       [](const fs::path& root) { return resume_or(photos_command(root), run_in(root)); },
       difference_of_photos, /*keeps_paths=*/true},
      {"cached", put_photos, cached_command,
       [](const fs::path& root) { return resume_or(cached_command(root), run_in(root)); },
       difference_of_photos, /*keeps_paths=*/true},
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
