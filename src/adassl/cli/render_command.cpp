#include "adassl/cli/render_command.h"

#include <chrono>
#include <ctime>
#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/data/progress.h"
#include "adassl/kernels/threads.h"
#include "adassl/render/dataset.h"
#include "adassl/render/sheet.h"

namespace adassl::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string out;
  std::string cache;
  std::string sheet;
  std::string mesh = "data/teapot/teapot.obj";
  render::DatasetOptions options;
  int64_t threads = 0;
  int64_t columns = 7;
};

render::Object read_teapot(const std::string& path) {
  ADASSL_CHECK(fs::exists(path), "[data render] expected the mesh of the teapot, got no file ",
               path, ": 'bash scripts/setup.sh teapots' fetches it, or give one with --mesh");
  return render::Object(render::placed_teapot(render::read_obj(path)));
}

void draw_sheet(const Arguments& arguments) {
  render::require_valid(arguments.options);
  const render::Object teapot = read_teapot(arguments.mesh);
  const storage::Image sheet =
      render::sheet_of_factors(teapot, arguments.options.quality, arguments.columns);
  storage::write_png(arguments.sheet, sheet);
  std::cout << arguments.sheet << ": " << arguments.columns
            << " values of each factor, from -1 to 1 (" << sheet.width << "x" << sheet.height
            << " pixels)\n";
}

void render_all(const Arguments& arguments) {
  const render::DatasetOptions& options = arguments.options;
  render::require_valid(options);
  const render::Object teapot = read_teapot(arguments.mesh);
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t cpu_begin = std::clock();
  const auto progress = data::terminal_progress();
  const int64_t rendered = arguments.cache.empty()
                               ? render::render_folder(arguments.out, teapot, options, progress)
                               : render::render_cache(arguments.cache, teapot, options, progress);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  const double cpu = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
  std::cout << (arguments.cache.empty() ? arguments.out : arguments.cache) << ": " << options.count
            << " training and " << options.test_count << " test images of " << options.quality.size
            << "x" << options.quality.size << " pixels, ";
  if (rendered == 0) {
    std::cout << "all in place\n";
    return;
  }
  const auto count = static_cast<double>(rendered);
  std::cout << fmt::format(
      "{} rendered now in {:.1f} s, {:.0f} a second, {:.2f} ms of CPU time an image\n", rendered,
      passed.count(), count / passed.count(), 1e3 * cpu / count);
}

void run(const Arguments& arguments) {
  const int targets =
      int{!arguments.out.empty()} + int{!arguments.cache.empty()} + int{!arguments.sheet.empty()};
  ADASSL_CHECK(targets == 1, "[data render] expected one of --out, --cache and --sheet, got ",
               targets);
  const int64_t cores = host::logical_cores();
  constexpr int64_t kMostThreads = 1024;
  ADASSL_CHECK(arguments.threads >= 0 && arguments.threads <= kMostThreads,
               "[data render] threads: expected 0 to ", kMostThreads, ", got ", arguments.threads);
  kernels::set_threads(static_cast<int>(arguments.threads == 0 ? cores : arguments.threads));
  arguments.sheet.empty() ? render_all(arguments) : draw_sheet(arguments);
}

}  // namespace

void add_render(CLI::App& data_command) {
  CLI::App* command = data_command.add_subcommand("render", "compute pictures with known factors");
  command->require_subcommand(1);
  CLI::App* teapots = command->add_subcommand(
      "teapots", "3DIdent: a coloured teapot above the ground, in the light of a coloured spot");
  auto arguments = std::make_shared<Arguments>();
  render::DatasetOptions& options = arguments->options;
  const auto add = [&](const char* name, auto& value, const char* help) {
    teapots->add_option(name, value, help)->capture_default_str();
  };
  add("--out", arguments->out, "a folder for the images, in the layout of 3DIdent");
  add("--cache", arguments->cache, "or one file for all of them, with tables beside it");
  add("--sheet", arguments->sheet, "or a PNG file that shows what each factor changes");
  add("--count", options.count, "number of training images");
  add("--test-count", options.test_count, "number of test images");
  add("--size", options.quality.size, "width and height in pixels");
  add("--seed", options.seed, "names the data set");
  add("--samples", options.quality.samples,
      "rays through a pixel; smooth pixels need two of them only");
  add("--shadow-rays", options.quality.shadow_rays, "rays from each of them to the spotlight");
  add("--threads", arguments->threads, "threads; 0: as many as there are cores");
  add("--mesh", arguments->mesh, "teapot.obj of the npm package utah-teapot");
  add("--columns", arguments->columns, "values of each factor on the sheet");
  teapots->callback([arguments] { run(*arguments); });
}

}  // namespace adassl::cli
