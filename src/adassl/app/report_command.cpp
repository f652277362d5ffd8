#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "adassl/app/commands.h"
#include "adassl/app/run_pictures.h"
#include "adassl/app/write_report.h"
#include "adassl/core/error.h"
#include "adassl/records/health.h"
#include "adassl/records/rule.h"
#include "adassl/records/run_records.h"
#include "adassl/report/claims_list.h"
#include "adassl/report/milestones.h"
#include "adassl/report/page.h"
#include "adassl/report/picture.h"
#include "adassl/storage/file.h"
#include "adassl/storage/json_lines.h"
#include "adassl/storage/replaceable.h"
#include "adassl/storage/run_directory.h"

namespace adassl::app {
namespace {

namespace fs = std::filesystem;
using records::Record;
using records::Records;

constexpr std::string_view kPageBegin = "<!DOCTYPE html>";

storage::RunDirectory open_run(const fs::path& path) {
  return storage::RunDirectory::open(path, storage::RunDirectory::Lock::kNo);
}

/// The records that count. Until the run is finished there may be few of them, so all others are
/// shown too, even evaluations with other options; the latest one counts. A milestone may stand in
/// for an evaluation that is still missing, and whether the run learns is said from its curve so
/// far.
Records shown_records(const storage::RunDirectory& run) {
  Records all = records::run_records(run);
  Records counted = records::counting(all, records::hash_of(run));
  if (records::is_finished(run)) return counted;
  for (Record& record : counted) {
    if (record.kind == records::kEvaluation) all.push_back(std::move(record));  // the stand-in
  }
  Records health;
  for (const Record& record : all) {
    if (record.kind != records::kCurve) continue;
    if (auto so_far = records::health_of(record)) health.push_back(std::move(*so_far));
  }
  all.insert(all.end(), health.begin(), health.end());
  return all;
}

/// The records of a run, all with the same row and seed, even those that do not name them.
Records records_of_run(const fs::path& path) {
  Records records = shown_records(open_run(path));
  std::string name = "run";
  std::optional<int64_t> seed;
  for (const Record& record : records) {
    if (record.kind != records::kEvaluation) continue;
    if (!record.method.empty()) name = record.method;
    seed = record.seed;
  }
  for (Record& record : records) {
    record.row = name;
    record.seed = seed;
  }
  return records;
}

std::string page_of_run(const fs::path& path) {
  const storage::RunDirectory run = open_run(path);
  const Records records = records_of_run(path);
  return report::run_page(records, storage::read_file(run.config(), records::kLargestConfig),
                          run.name(), pictures_of_run(run, report::names_of_neighbours(records)));
}

/// The records of a run directory or of a file; Error if there is nothing to show.
Records records_at(const fs::path& path) {
  ADASSL_CHECK(path.extension() != ".toml", "[", path.string(),
               "] expected a run directory or records (.jsonl), got a configuration; 'adassl "
               "reproduce' leaves a study's records in runs/<study>/<budget>/records.jsonl");
  Records records = fs::is_directory(path) ? records_of_run(path)
                                           : records::parse_all(storage::read_json_lines(path));
  const bool shows = std::ranges::any_of(records, [](const Record& record) {
    return record.kind == records::kStudy || record.kind == records::kEvaluation ||
           record.kind == records::kCurve;
  });
  ADASSL_CHECK(shows, "[", path.string(), "] expected records of a run or a study, found none");
  return records;
}

struct Arguments {
  std::vector<std::string> paths;
  std::string out;
  bool markdown = false;
  bool claims = false;
  bool picture = false;
  bool scatter = false;
};

/// One Markdown section for each path; docs/RESULTS.md is made from these.
std::string markdown(const std::vector<std::string>& paths) {
  std::string out;
  for (const std::string& path : paths) {
    const Records records = records_at(path);
    const report::Table table = report::make_table(records);
    const std::string title = fs::is_directory(path) ? open_run(path).name() : table.title;
    const std::string source = table.reference.empty() ? "" : " (" + table.reference + ")";
    const std::string budget = table.budget.empty() ? "" : ", " + table.budget + " budget";
    out += fmt::format("## {}{}{}\n\n", title, source, budget);
    if (!table.about.empty()) out += table.about + "\n\n";
    out += report::to_markdown(table) + "\n";
    const std::string way = report::milestones_markdown(records, table);
    if (!way.empty()) out += way + "\n";
  }
  return out;
}

/// One section on the claims of all studies; docs/RESULTS.md begins with it.
std::string claims(const std::vector<std::string>& paths) {
  std::vector<report::Source> sources;
  for (const std::string& path : paths) sources.push_back({path, records_at(path)});
  const std::string table = report::claims_markdown(sources);
  ADASSL_CHECK(!table.empty(),
               "[report] expected records of a study that makes claims, found none");
  return "## The paper's claims\n\n" + table;
}

/// Writes to a file that the user may have named. Only what begins like the text is replaced.
void write_text(const fs::path& target, std::string_view begin, const std::string& what,
                const std::string& text) {
  storage::require_replaceable(target, begin, what, "--out");
  storage::write_atomically(target, text);
}

/// Writes the picture to `out` or, if that is empty, beside the records: "records.svg",
/// "records-scatter.svg".
void write_picture(const fs::path& path, const fs::path& out, const std::string& suffix,
                   std::string (*draw)(const Records&)) {
  const fs::path beside = fs::is_directory(path)
                              ? path / ("records" + suffix + ".svg")
                              : path.parent_path() / (path.stem().string() + suffix + ".svg");
  const fs::path target = out.empty() ? beside : out;
  write_text(target, "<svg", "a picture", draw(records_at(path)));
  std::cout << "picture: " << target.string() << "\n";
}

void write_page(const fs::path& path, const fs::path& out) {
  if (fs::is_directory(path)) {
    const fs::path target = out.empty() ? path / "report.html" : out;
    write_text(target, kPageBegin, "a page", page_of_run(path));
    std::cout << "page: " << target.string() << "\n";
    return;
  }
  const fs::path target = out.empty() ? fs::path(path).replace_extension(".html") : out;
  write_text(target, kPageBegin, "a page", report::study_page(records_at(path)));
  std::cout << "page: " << target.string() << "\n";
}

}  // namespace

void write_run_report(const fs::path& path) {
  storage::write_atomically(path / "report.html", page_of_run(path));
}

std::string terminal_table(const Records& records) {
  return report::to_terminal(report::make_table(records), isatty(STDOUT_FILENO) == 1);
}

std::string terminal_table(const fs::path& run) { return terminal_table(records_of_run(run)); }

void add_report(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(app, "report");
  command->add_option("paths", arguments->paths, "run directories or records (.jsonl)")->required();
  command->add_option("--out", arguments->out, "file for the page (only with a single path)");
  CLI::Option* picture = command->add_flag("--picture", arguments->picture,
                                           "write only the learning curves, as an SVG file");
  command
      ->add_flag("--scatter", arguments->scatter,
                 "write only the study's scatter plots, as an SVG file")
      ->excludes(picture);
  CLI::Option* tables = command->add_flag("--markdown", arguments->markdown,
                                          "print Markdown tables instead of writing a page");
  command
      ->add_flag("--claims", arguments->claims,
                 "print the claims of all studies and their verdicts as one Markdown table")
      ->excludes(tables);
  command->callback([arguments] {
    ADASSL_CHECK(arguments->out.empty() || arguments->paths.size() == 1,
                 "[report] expected one path with --out, got ", arguments->paths.size());
    if (arguments->markdown || arguments->claims) {
      const std::string text =
          arguments->claims ? claims(arguments->paths) : markdown(arguments->paths);
      if (arguments->out.empty()) {
        std::cout << text;
      } else {
        write_text(arguments->out, "## ", "a Markdown table", text);
      }
      return;
    }
    for (const std::string& path : arguments->paths) {
      if (arguments->picture) {
        write_picture(path, arguments->out, "", report::curves_picture);
      } else if (arguments->scatter) {
        write_picture(path, arguments->out, "-scatter", report::scatter_picture);
      } else {
        write_page(path, arguments->out);
      }
    }
  });
}

}  // namespace adassl::app
