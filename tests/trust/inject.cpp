#include <algorithm>
#include <iostream>
#include <map>
#include <stdexcept>

#include <unistd.h>

#include "adassl/core/random.h"
#include "trust/case_folder.h"
#include "trust/commands.h"
#include "trust/scenario.h"
#include "trust/workers.h"

namespace adassl::trust {
namespace {

namespace fs = std::filesystem;

/// One operation of a scenario, and what happens to it.
struct Point {
  const Scenario* scenario;
  Fault fault;

  std::string name() const {
    return scenario->name + ":" + fault.kind + ":" + std::to_string(fault.at) + ":" + fault.action;
  }
};

/// What can reasonably happen to an operation of each kind.
const std::vector<std::string>& actions_of(const std::string& kind) {
  static const std::map<std::string, std::vector<std::string>> table = {
      {"write", {"EIO", "ENOSPC", "short", "tear"}},
      {"sync", {"EIO", "kill"}},
      {"rename", {"EIO", "kill"}},
      {"open", {"EIO", "EMFILE", "kill"}},
      {"create", {"EIO", "EMFILE", "kill"}},
      {"mkdir", {"EIO", "kill"}},
      {"mmap", {"ENOMEM"}},
      {"fork", {"EAGAIN"}},
      {"truncate", {"EIO", "kill"}},
      {"unlink", {"EIO", "kill"}},
      {"read", {"EIO", "short"}}};
  return table.at(kind);
}

Fault fault_of(const std::string& kind, size_t at, const std::string& action) {
  return {kind, at, action, ""};
}

/// The points of one scenario, in groups of the same kind and action.
std::vector<std::vector<Point>> points_of(const Scenario& scenario, const Counted& counted) {
  std::vector<std::vector<Point>> groups;
  for (size_t i = 0; i < kKinds; ++i) {
    const size_t count = counted.of_kind[i];
    std::cout << scenario.name << ": " << count << " of kind " << kKindNames[i] << "\n";
    for (const std::string& action : actions_of(kKindNames[i])) {
      std::vector<Point> group;
      for (size_t at = 1; at <= count; ++at) {
        group.push_back({&scenario, fault_of(kKindNames[i], at, action)});
      }
      if (!group.empty()) groups.push_back(std::move(group));
    }
    if (count > 0) groups.push_back({{&scenario, fault_of(kKindNames[i], 1, "delay")}});
  }
  return groups;
}

/// All that is counted in undisturbed runs, which become the references.
std::vector<std::vector<Point>> count_all(const Bases& bases, const fs::path& references) {
  std::vector<std::vector<Point>> groups;
  for (const Scenario& scenario : scenarios()) {
    const fs::path root = references / scenario.name;
    const fs::path counters = references / (scenario.name + ".counters");
    scenario.prepare(root, bases);
    const WithFault counting({"any", 0, "", ""}, root, counters);
    const Ended ended = run_to_the_end(scenario.command(root), references / "errors.txt");
    if (ended.code != 0) throw std::runtime_error(scenario.name + ": " + ended.err);
    for (auto& group : points_of(scenario, read_counters(counters))) groups.push_back(group);
  }
  return groups;
}

/// Where one worker tries its cases, one after the other.
class Place {
 public:
  Place(const fs::path& parent, const Bases& bases, fs::path references)
      : folder_(parent / ("worker-" + std::to_string(::getpid()))),
        bases_(bases),
        references_(std::move(references)) {
    fs::create_directories(folder_);
  }

  fs::path root() const { return folder_ / "files"; }
  void prepare(const Scenario& scenario) const {
    fs::remove_all(root());
    scenario.prepare(root(), bases_);
  }
  /// What the scenario leaves where nothing goes wrong. If that depends on where it happened, it is
  /// made here, before the first case of the scenario.
  fs::path reference(const Scenario& scenario) const {
    if (!scenario.keeps_paths) return references_ / scenario.name;
    const fs::path own = folder_ / scenario.name;
    if (fs::exists(own)) return own;
    prepare(scenario);
    const Ended ended = run_to_the_end(scenario.command(root()), folder_ / "errors.txt");
    if (ended.code != 0) throw std::runtime_error(scenario.name + ": " + ended.err);
    fs::rename(root(), own);
    return own;
  }

 private:
  fs::path folder_;
  const Bases& bases_;
  fs::path references_;
};

/// Rounds over all groups in random order, with a random point of each: rare kinds of operations
/// are as likely as common ones.
std::vector<Point> sample(const std::vector<std::vector<Point>>& groups, const Options& options) {
  std::vector<Point> out;
  random::Sequence draws = random::Stream(options.seed, "points").at(0);
  while (out.size() < options.sample) {
    const auto order = random::permutation(static_cast<int64_t>(groups.size()),
                                           {options.seed, "groups", out.size()});
    for (const int64_t i : order) {
      const auto& group = groups[static_cast<size_t>(i)];
      if (out.size() < options.sample) out.push_back(group[draws.below(group.size())]);
    }
  }
  return out;
}

std::vector<Point> chosen(const std::vector<std::vector<Point>>& groups, const Options& options) {
  if (!options.all && options.only.empty()) return sample(groups, options);
  std::vector<Point> out;
  for (const auto& group : groups) {
    for (const Point& point : group) {
      const std::string name = point.name();
      const bool whole = name.size() == options.only.size() || name[options.only.size()] == ':';
      if (options.only.empty() || (name.starts_with(options.only) && whole)) out.push_back(point);
    }
  }
  return out;
}

/// Runs the command with the fault, and then as a user would until it succeeds.
Report try_point(const Point& point, const Place& place, bool keep) {
  CaseFolder folder(keep);
  const fs::path root = place.root();
  const fs::path errors = folder.path() / "errors.txt";
  const Scenario& scenario = *point.scenario;
  const fs::path reference = place.reference(scenario);
  place.prepare(scenario);
  const Command command = scenario.command(root);
  Ended ended;
  {
    const WithFault faulty(point.fault, root, folder.path() / "counters");
    ended = run_to_the_end(command, errors);
  }
  const Counted counted = read_counters(folder.path() / "counters");
  const std::string first = ended.err;
  Report report;
  report.note = counted.fired == 0 ? "not reached" : "";
  const bool kills = point.fault.action == "kill" || point.fault.action == "tear";
  std::string fault = fault_of_ending(ended, kills);
  const bool refused = point.fault.action.starts_with('E');  // an errno, such as EIO
  if (refused && ended.code == 2) fault = "exit code 2, as after a mistake of the user";
  const auto difference = [&] { return scenario.difference(root, reference); };
  std::string different = ended.code == 0 ? difference() : "";
  for (int attempt = 0; attempt < 3 && (ended.code != 0 || !different.empty()); ++attempt) {
    ended = run_to_the_end(scenario.again(root), errors);
    different = ended.code == 0 ? difference() : "";
  }
  if (fault.empty() && ended.code != 0) fault = "cannot be taken up again: " + ended.err;
  if (fault.empty() && !different.empty()) fault = "afterwards " + different;
  if (fault.empty()) return report;
  folder.keep_for_inspection();
  if (keep) fs::copy(root, folder.path() / "files", fs::copy_options::recursive);
  report.violation = one_line_of(
      point.name() + " at " +
      counted.where.substr(std::min(counted.where.size(), root.string().size())) + ": " + fault +
      "; it had said: " + first + " | trust inject --only " + point.name() + " | " +
      shell_line(command, point.fault, root) + " && " + shell_line(scenario.again(root)) +
      (keep ? " | kept in " + folder.path().string() : ""));
  return report;
}

}  // namespace

Outcome inject(const Options& options) {
  CaseFolder folder(false);
  const Bases bases = make_bases(folder.path() / "bases");
  const fs::path references = folder.path() / "references";
  const auto groups = count_all(bases, references);
  const std::vector<Point> points = chosen(groups, options);
  size_t total = 0;
  for (const auto& group : groups) total += group.size();
  std::cout << "points: " << total << ", of which tried: " << points.size() << std::endl;
  const auto reports = work_through(points.size(), options.jobs, [&](size_t i) {
    return try_point(points[i], Place(folder.path(), bases, references), options.keep);
  });
  Outcome outcome;
  outcome.promise = "after any failed operation on a file, the same bytes or one line";
  outcome.tried = reports.size();
  size_t missed = points.size() - reports.size();
  for (const Report& report : reports) {
    if (!report.violation.empty()) outcome.violations.push_back(report.violation);
    if (report.note == "not reached") ++missed;
  }
  outcome.worst = std::to_string(missed) + " points were not reached; " + std::to_string(total) +
                  " points in all";
  return outcome;
}

}  // namespace adassl::trust
