#include <filesystem>
#include <iostream>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "adassl/cli/commands.h"
#include "adassl/cli/run_labels.h"
#include "adassl/core/error.h"
#include "adassl/storage/file.h"
#include "adassl/storage/run_directory.h"
#include "adassl/study/retrieval_figure.h"
#include "adassl/study/run.h"

namespace adassl::cli {
namespace {

namespace fs = std::filesystem;
using evaluation::RetrievalOptions;
using evaluation::RetrievalQueries;

constexpr const char* kSection = "evaluate.retrieval";

struct Arguments {
  std::vector<std::string> runs;
  int64_t clip = 0;
  int64_t clips = 4;
  int64_t top = 3;
  std::string out;
};

/// The same queries and pool as those of the run's own evaluation.
RetrievalQueries queries_of(const study::Experiment& experiment, const RetrievalOptions& options) {
  const evaluation::Subject subject = study::subject_of(experiment);
  const std::string obstacle = evaluation::obstacle_to_retrieval(subject);
  ADASSL_CHECK(obstacle.empty(), "[retrieve] method ", experiment.method_name,
               " cannot be used for retrieval: ", obstacle);
  return evaluation::retrieval_queries(subject, options);
}

void require_same_clips(const Array& pool, const Array& first, const std::string& path) {
  ADASSL_CHECK(pool.shape == first.shape && pool.values == first.values, "[", path,
               "] expected a run with the same pool of clips as the first one's, got another: "
               "their seed, data or evaluate.retrieval differ");
}

void write(const report::RetrievalFigure& figure, const Arguments& arguments) {
  const fs::path folder = arguments.out.empty() ? arguments.runs[0] : arguments.out;
  fs::create_directories(folder);
  const std::string title = arguments.runs.size() == 1 ? "One future among many"
                                                       : "One future among many, several models";
  const report::RetrievalFiles files = report::retrieval_files(figure, title);
  storage::write_atomically(folder / "retrieve.png", files.image);
  storage::write_atomically(folder / "retrieve.svg", files.picture);
  storage::write_atomically(folder / "retrieve.html", files.page);
  std::cout << "picture: " << (folder / "retrieve.png").string()
            << "\npage: " << (folder / "retrieve.html").string() << "\n";
}

void retrieve(const Arguments& arguments, const study::Tables& tables) {
  report::RetrievalFigure figure;
  study::ShownQueries shown;
  Array pool;  // the pool of the previous run
  std::set<std::string> labels;
  for (const std::string& path : arguments.runs) {
    const auto run = storage::RunDirectory::open(path, storage::RunDirectory::Lock::kNo);
    const study::Trained trained = study::load_run(run, {}, tables);
    const evaluation::Frozen frozen(*trained.experiment.method);
    const auto options = Config::from_file(run.config()).read<RetrievalOptions>(kSection);
    const bool first = figure.columns.empty();
    if (first) shown = study::shown_queries(options, arguments.clip, arguments.clips);
    RetrievalQueries asked = queries_of(trained.experiment, options);
    if (first) figure = study::make_figure(asked.futures, shown);
    if (!first) require_same_clips(asked.futures.x_plus, pool, path);
    report::RetrievalColumn column = study::make_column(asked, shown, arguments.top);
    column.label = run_label(trained.experiment.method_name, run, path, labels);
    std::cout << fmt::format("{}, step {}: {}, ranks {}\n", path, trained.step, column.note,
                             fmt::join(column.ranks, ", "));
    figure.columns.push_back(std::move(column));
    pool = std::move(asked.futures.x_plus);
  }
  write(figure, arguments);
}

}  // namespace

void add_retrieve(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app::add_command(app, "retrieve");
  command->add_option("runs", arguments->runs, "run directories; several are shown side by side")
      ->required();
  command->add_option("--clip", arguments->clip, "number of the first source clip")
      ->check(CLI::Range(0, 9999))
      ->capture_default_str();
  command
      ->add_option("--clips", arguments->clips,
                   "number of sources, one per row; at most those of the pool")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--top", arguments->top, "number of distinct clips to show for each run")
      ->check(CLI::Range(1, 10))
      ->capture_default_str();
  command->add_option("--out", arguments->out,
                      "folder for the pictures (default: the first run's)");
  command->callback([arguments, &context] { retrieve(*arguments, context.tables); });
}

}  // namespace adassl::cli
