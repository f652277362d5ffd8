#include <filesystem>
#include <iostream>
#include <memory>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "adassl/cli/commands.h"
#include "adassl/cli/imagine_gallery.h"
#include "adassl/cli/imagine_groups.h"
#include "adassl/cli/run_labels.h"
#include "adassl/core/error.h"
#include "adassl/evaluation/futures.h"
#include "adassl/report/futures.h"
#include "adassl/storage/file.h"
#include "adassl/storage/run_directory.h"
#include "adassl/study/run.h"

namespace adassl::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<std::string> runs;
  int64_t clip = 0;
  int64_t clips = 4;
  int64_t samples = 10;
  int64_t futures = 64;
  std::string out;
  GalleryArguments gallery;
};

Futures futures_of(const study::Experiment& experiment, const Arguments& arguments) {
  ADASSL_CHECK(experiment.source->shape().continues,
               "[imagine] expected data that provides several futures of one x, got a "
               "source that does not; for files of your own, add --gallery DATA");
  return experiment.source->futures({experiment.seed, "imagine"}, arguments.clip, arguments.clips,
                                    arguments.futures);
}

/// The futures that the model of a run imagines, as a column without a label.
report::FutureColumn imagined(const study::Trained& trained, const Futures& futures,
                              const Arguments& arguments) {
  const study::Experiment& experiment = trained.experiment;
  const evaluation::Frozen frozen(*experiment.method);
  auto& predicts = evaluation::require<model::Predicts>(*experiment.method);
  const Tensor found = evaluation::imagined_futures(predicts, futures, arguments.samples,
                                                    {experiment.seed, "imagine/noise"})
                           .contiguous();  // [clips, samples]
  report::FutureColumn column;
  double distinct = 0;
  for (int64_t s = 0; s < found.size(0); ++s) {
    const auto* row = found[s].data_ptr<int64_t>();
    column.shown.emplace_back(row, row + found.size(1));
    distinct += static_cast<double>(std::set<int64_t>(row, row + found.size(1)).size());
  }
  distinct /= static_cast<double>(found.size(0));
  column.note = fmt::format("{} draws, {:.1f} different", arguments.samples, distinct);
  return column;
}

report::FutureColumn true_futures(const Arguments& arguments) {
  std::vector<int64_t> all(static_cast<size_t>(arguments.futures));
  std::iota(all.begin(), all.end(), 0);
  return {"the truth", fmt::format("{} that may follow", arguments.futures),
          std::vector<std::vector<int64_t>>(static_cast<size_t>(arguments.clips), all)};
}

void imagine(const Arguments& arguments, const study::Tables& tables) {
  report::FutureFigure figure;
  std::vector<int64_t> observation;
  std::set<std::string> labels;
  for (const std::string& path : arguments.runs) {
    const auto run = storage::RunDirectory::open(path, storage::RunDirectory::Lock::kNo);
    const study::Trained trained = study::load_run(run, {}, tables);
    const auto shape = trained.experiment.source->shape().observation;
    if (figure.columns.empty()) {
      figure.futures = futures_of(trained.experiment, arguments);
      figure.columns.push_back(true_futures(arguments));
      observation = shape;
    }
    ADASSL_CHECK(shape == observation, "[", path,
                 "] expected a run on the same kind of data as the first one's");
    figure.columns.push_back(imagined(trained, figure.futures, arguments));
    report::FutureColumn& column = figure.columns.back();
    column.label = run_label(trained.experiment.method_name, run, path, labels);
    std::cout << fmt::format("{}, step {}: {}\n", path, trained.step, column.note);
  }
  const fs::path folder = arguments.out.empty() ? arguments.runs[0] : arguments.out;
  fs::create_directories(folder);
  const std::string title = arguments.runs.size() == 1
                                ? "One clip, several futures"
                                : "One clip, several futures, several models";
  const report::FutureFiles files = report::futures_files(figure, title);
  storage::write_atomically(folder / "imagine.png", files.still);
  storage::write_atomically(folder / "imagine-moving.png", files.moving);
  storage::write_atomically(folder / "imagine.svg", files.picture);
  storage::write_atomically(folder / "imagine.html", files.page);
  std::cout << "picture: " << (folder / "imagine.png").string()
            << "\nmoving: " << (folder / "imagine-moving.png").string()
            << "\npage: " << (folder / "imagine.html").string() << "\n";
}

void add_gallery_options(CLI::App& command, GalleryArguments& gallery) {
  command.add_option("--gallery", gallery.gallery,
                     "for a run on files of your own: a folder or file; its samples take the place "
                     "of the true futures");
  command.add_option("--query", gallery.queries,
                     "with --gallery: names of samples; default: some that are spread evenly");
  command.add_option("--rows", gallery.rows, "with --gallery: how many samples, unless named")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command.add_flag("--groups", gallery.groups,
                   "with --gallery: sample one group of dimensions of r at a time, and show what "
                   "each group changes");
  command.add_option("--set", gallery.overrides, "with --gallery: key=value below samples.*");
  command.add_flag("--json", gallery.json, "with --gallery: one line for each sample, and no page");
}

/// Error if an option was given that means nothing here. An option that was not given holds its
/// default, so only the command line tells the two apart.
void refuse_options_without_effect(const CLI::App& command, bool with_gallery) {
  if (with_gallery) {
    for (const char* name : {"--clip", "--clips", "--futures"}) {
      ADASSL_CHECK(command.count(name) == 0, "[imagine] expected no ", name,
                   " together with --gallery, whose samples take the place of clips and futures");
    }
    return;
  }
  for (const char* name : {"--query", "--rows", "--groups", "--set", "--json"}) {
    ADASSL_CHECK(command.count(name) == 0, "[imagine] expected --gallery DATA with ", name);
  }
}

}  // namespace

void add_imagine(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app::add_command(app, "imagine");
  command->add_option("runs", arguments->runs, "run directories; several are shown side by side")
      ->required();
  command->add_option("--clip", arguments->clip, "number of the first held-out clip")
      ->check(CLI::Range(int64_t{0}, int64_t{1'000'000'000}))
      ->capture_default_str();
  command->add_option("--clips", arguments->clips, "number of clips, one per row")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--samples", arguments->samples, "number of draws of r for each clip")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      ->add_option("--futures", arguments->futures,
                   "number of true futures of each clip to compare with")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  command->add_option("--out", arguments->out,
                      "folder for the pictures (default: the first run's)");
  add_gallery_options(*command, arguments->gallery);
  command->callback([arguments, command, &context] {
    const bool with_gallery = !arguments->gallery.gallery.empty();
    refuse_options_without_effect(*command, with_gallery);
    if (!with_gallery) {
      imagine(*arguments, context.tables);
      return;
    }
    ADASSL_CHECK(arguments->runs.size() == 1, "[imagine] expected one run with --gallery, got ",
                 arguments->runs.size());
    arguments->gallery.run = arguments->runs[0];
    arguments->gallery.draws = arguments->samples;
    arguments->gallery.out = arguments->out;
    const auto& gallery = arguments->gallery;
    gallery.groups ? imagine_by_groups(gallery, context.tables)
                   : imagine_from_gallery(gallery, context.tables);
  });
}

}  // namespace adassl::cli
