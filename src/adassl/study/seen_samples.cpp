#include "adassl/study/seen_samples.h"

#include <algorithm>
#include <iostream>

#include "adassl/core/config.h"
#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/data/fetched.h"
#include "adassl/data/files.h"
#include "adassl/data/progress.h"
#include "adassl/evaluation/evaluation.h"
#include "adassl/nn/tensors.h"

namespace adassl::study {
namespace {

/// Options of the run's own samples that say nothing about others.
constexpr std::string_view kOfTheRun[] = {"samples.path",    "samples.table", "samples.key",
                                          "samples.columns", "samples.cache", "samples.sequence",
                                          "samples.time"};

/// How many samples are seen and encoded at once.
int64_t block_of(const std::vector<int64_t>& observation) {
  constexpr int64_t kNumbers = 1 << 21;
  int64_t numbers = 1;
  for (const int64_t extent : observation) numbers *= extent;
  return std::clamp<int64_t>(kNumbers / std::max<int64_t>(numbers, 1), 1, 1024);
}

/// Error if a path cannot be what a run was trained on.
void require_like_training(bool pictures, const std::string& path) {
  ADASSL_CHECK(!pictures || !data::is_array_name(path), "[", path,
               "] expected pictures, on which the run was trained, got an array of numbers");
  ADASSL_CHECK(pictures || !std::filesystem::is_directory(path), "[", path,
               "] expected an array of numbers, on which the run was trained, got a folder");
}

Tensor output_of(model::Method& method, Output output, const Tensor& seen) {
  if (output == Output::kEmbedding) return method.embed(seen);
  if (output == Output::kRepresentation) return method.represent(seen);
  return evaluation::require<model::Predicts>(method).target(seen);
}

}  // namespace

Array SeenSamples::see(std::span<const int64_t> samples) const {
  return data::see_plainly(*set, *plain, samples);
}

SeenSamples open_samples(const storage::RunDirectory& run, const std::string& path,
                         const std::vector<std::string>& overrides) {
  Config config = Config::from_file(run.config());
  const std::string kind = config.read_text("data.kind", "numerical", "which source");
  ADASSL_CHECK(data::is_of_files(kind), "[", run.path().string(),
               "] expected a run that was trained on files (data.kind = \"files\"), got data.kind "
               "= \"",
               kind, "\"");
  const auto seen = config.read<data::SeenOptions>("data");
  const bool named = kind != data::Files::Options::kName;  // other files have no such layout
  std::vector<std::string> kept = {"views"};
  if (!named) kept.emplace_back("samples");
  config.keep_sections(kept);
  for (const std::string_view key : kOfTheRun) config.remove(std::string(key));
  require_like_training(named || config.read_text("samples.kind", "arrays", "") != "arrays", path);
  if (named) config.set_default("samples.kind", data::kind_of_samples(path));
  config.override_with("samples.path=" + to_toml(path));
  for (const std::string& assignment : overrides) {
    ADASSL_CHECK(assignment.starts_with("samples."), "[", path,
                 "] expected options of samples, such as samples.table=FILE, got '", assignment,
                 "'");
    config.override_with(assignment);
  }
  SeenSamples out;
  out.set = make_part(data::sample_kinds(), config, "samples", "arrays", data::terminal_progress());
  const auto view = make_part(data::views(), config, "views", "plain");
  out.plain = data::plain_view_like(*out.set, *view, seen);
  config.require_all_read();
  out.usable = data::usable_samples(*out.set, out.set->rejected());
  ADASSL_CHECK(!out.usable.empty(), "[", path, "] expected at least one sample that can be read");
  return out;
}

void for_each_block(const Restored& model, const SeenSamples& samples, Output output,
                    const std::function<void(int64_t first, const Array& rows)>& take) {
  const evaluation::Frozen frozen(*model.method);
  const int64_t block = block_of(model.observation);
  const auto count = static_cast<int64_t>(samples.usable.size());
  const auto start = [&](int64_t number) {
    const auto begin = samples.usable.begin() + number * block;
    return data::job_of_seeing(*samples.set, *samples.plain,
                               {begin, begin + std::min(block, samples.usable.end() - begin)});
  };
  const int64_t blocks = (count + block - 1) / block;
  data::Ahead<Array> ahead(start, blocks, model.prefetch);
  for (int64_t number = 0; number < blocks; ++number) {
    const Array x = ahead.take(number);
    const std::vector<int64_t> shape(x.shape.begin() + 1, x.shape.end());
    ADASSL_CHECK(shape == model.observation, "[samples] expected observations [",
                 text::extents(model.observation), "] as in training, got [", text::extents(shape),
                 "]");
    const Tensor seen = nn::view(x);
    take(number * block, nn::array_of(output_of(*model.method, output, seen)));
  }
}

Array all_rows(const Restored& model, const SeenSamples& samples, Output output) {
  Array out;
  for_each_block(model, samples, output, [&](int64_t first, const Array& rows) {
    if (first == 0) {
      const auto count = static_cast<int64_t>(samples.usable.size());
      const double bytes = sizeof(float) * static_cast<double>(count * rows.columns());
      ADASSL_CHECK(bytes < 0.8 * static_cast<double>(host::available_memory()),
                   "[samples] the outputs of ", count, " samples need ", text::bytes(bytes),
                   ", more than is free");
      out = make_array({count, rows.columns()});
    }
    std::ranges::copy(rows.values, out.values.begin() + first * rows.columns());
  });
  return out;
}

}  // namespace adassl::study
