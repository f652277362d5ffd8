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
#include "adassl/study/control_page.h"
#include "adassl/study/futures_figure.h"

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
  // With a gallery, which takes the place of clips and futures:
  std::string gallery;
  std::vector<std::string> overrides, queries;
  int64_t rows = 8;
  bool groups = false;  // sample groups of dimensions of r, one at a time
  bool json = false;
};

fs::path folder_of(const Arguments& arguments) {
  return arguments.out.empty() ? arguments.runs[0] : arguments.out;
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
      figure.futures = study::held_out_futures(trained.experiment, arguments.clip, arguments.clips,
                                               arguments.futures);
      figure.columns.push_back(study::true_futures(arguments.clips, arguments.futures));
      observation = shape;
    }
    ADASSL_CHECK(shape == observation, "[", path,
                 "] expected a run on the same kind of data as the first one's");
    figure.columns.push_back(
        study::imagined_futures(trained.experiment, figure.futures, arguments.samples));
    report::FutureColumn& column = figure.columns.back();
    column.label = run_label(trained.experiment.method_name, run, path, labels);
    std::cout << fmt::format("{}, step {}: {}\n", path, trained.step, column.note);
  }
  const fs::path folder = folder_of(arguments);
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

/// For some samples of a gallery: what the model of a run expects to see together with them, as the
/// nearest samples of the gallery.
void imagine_from_gallery(const Arguments& arguments, const study::Tables& tables) {
  ADASSL_CHECK(arguments.runs.size() == 1, "[imagine] expected one run with --gallery, got ",
               arguments.runs.size());
  const auto run = storage::RunDirectory::open(arguments.runs[0], storage::RunDirectory::Lock::kNo);
  const study::Restored model = study::restore_model(run, tables);
  const study::SeenSamples gallery =
      study::open_samples(run, arguments.gallery, arguments.overrides);
  const study::Showing showing{folder_of(arguments), arguments.json};
  if (!arguments.groups) {
    const study::ImagineOptions options{arguments.queries, arguments.rows, arguments.samples,
                                        model.seed};
    study::show(study::imagined_page(model, gallery, options), gallery, showing, std::cout);
    return;
  }
  const auto found = study::controlled_samples(model, gallery,
                                               {.queries = arguments.queries,
                                                .rows = arguments.rows,
                                                .draws = arguments.samples,
                                                .seed = model.seed},
                                               study::recorded_groups(run));
  study::show(study::control_page(found, model, gallery), gallery, showing, std::cout);
  if (arguments.json || gallery.set->pictures() == 0) return;
  const fs::path picture = showing.folder / "imagine-groups.svg";
  storage::write_atomically(picture, study::control_picture(found, gallery));
  std::cout << "picture: " << picture.string() << "\n";
}

void add_gallery_options(CLI::App& command, Arguments& arguments) {
  command.add_option("--gallery", arguments.gallery,
                     "for a run on files of your own: a folder or file; its samples take the place "
                     "of the true futures");
  command.add_option("--query", arguments.queries,
                     "with --gallery: names of samples; default: some that are spread evenly");
  command.add_option("--rows", arguments.rows, "with --gallery: how many samples, unless named")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command.add_flag("--groups", arguments.groups,
                   "with --gallery: sample one group of dimensions of r at a time, and show what "
                   "each group changes");
  command.add_option("--set", arguments.overrides, "with --gallery: key=value below samples.*");
  command.add_flag("--json", arguments.json,
                   "with --gallery: one line for each sample, and no page");
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
  add_gallery_options(*command, *arguments);
  command->callback([arguments, command, &context] {
    const bool with_gallery = !arguments->gallery.empty();
    refuse_options_without_effect(*command, with_gallery);
    with_gallery ? imagine_from_gallery(*arguments, context.tables)
                 : imagine(*arguments, context.tables);
  });
}

}  // namespace adassl::cli
