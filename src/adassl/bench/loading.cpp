#include "adassl/bench/loading.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "adassl/bench/pictures.h"
#include "adassl/core/error.h"
#include "adassl/data/files.h"
#include "adassl/data/loader.h"
#include "adassl/images/encode.h"
#include "adassl/storage/file.h"

namespace adassl::bench {
namespace {

constexpr int64_t kBatch = 64;
constexpr int64_t kSteps = 24;

/// The smallest size of the other rows, on disk, as `adassl train FOLDER` would read it.
std::shared_ptr<data::Files> source_of(const std::filesystem::path& folder) {
  constexpr int kFiles = 80;
  for (int i = 0; i < kFiles; ++i) {
    const auto image = scene(178, 218, static_cast<uint32_t>(i));
    storage::write_atomically(folder / fmt::format("{}.jpg", i), images::encode_jpeg(image, 85));
  }
  Config config = Config::from_text("", "bench");
  for (const char* choice : {"samples.kind=images", "samples.index=none", "pairing.kind=self",
                             "views.kind=strong", "views.size=64"}) {
    config.override_with(choice);
  }
  config.set_default("samples.path", folder.string());
  return data::make_files(config, {}, 1);
}

/// Seconds until all batches have been made and read.
double seconds(const data::Source& source, int64_t workers) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  data::Loader loader({.source = source,
                       .seed = 1,
                       .batch = kBatch,
                       .steps = kSteps,
                       .prefetch = {.workers = workers, .depth = 2}});
  uint64_t sum = 0;
  for (int64_t step = 0; step < kSteps; ++step) {
    const Batch batch = loader.take(step);
    if (workers == 0) continue;
    for (const Array* view : {&batch.x, &batch.x_plus, &batch.helper}) {
      sum = std::accumulate(view->bytes.begin(), view->bytes.end(), sum);
    }
  }
  const std::chrono::duration<double> spent = Clock::now() - start;
  ADASSL_CHECK(workers == 0 || sum > 0, "[bench] the loader's batches are empty");
  return spent.count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

LoaderRow measure_loader(int repeats) {
  const Folder folder;
  const auto source = source_of(folder.path);
  std::vector<double> alone, loaded, ratios;
  for (int i = 0; i < repeats; ++i) {
    constexpr auto kPairs = static_cast<double>(kBatch * kSteps);
    alone.push_back(kPairs / seconds(*source, 0));
    loaded.push_back(kPairs / seconds(*source, 1));
    ratios.push_back(loaded.back() / alone.back());
  }
  return {kBatch, median(alone), median(loaded), median(ratios)};
}

nlohmann::ordered_json as_json(const LoaderRow& row) {
  return {{"name", kLoaderName},
          {"batch", row.batch},
          {"worker_pairs_per_second", row.alone},
          {"loader_pairs_per_second", row.loaded},
          {"loader_over_worker", row.ratio}};
}

void print(const LoaderRow& row) {
  std::cout << fmt::format(
      "\n{}: of {:.0f} pairs a second that one thread makes, {:.0f} reach a model that only reads "
      "its batch ({:.0f} %; by the clock, batches of {})\n",
      kLoaderName, row.alone, row.loaded, 100 * row.ratio, row.batch);
}

}  // namespace adassl::bench
