#include "adassl/images/cache.h"

#include <atomic>

#include "adassl/core/error.h"
#include "adassl/render/dataset.h"
#include "adassl/render/tables.h"

namespace adassl::render {
namespace {

namespace fs = std::filesystem;

fs::path beside(const fs::path& file, const char* ending) {
  fs::path out = file;
  return out += ending;
}

/// Called only when the cache is complete and has the right key: before that, another process may
/// be rendering something else under this name.
void write_cache_tables(const fs::path& file, const DatasetOptions& options) {
  std::vector<Factors> raw;
  FactorTable table(beside(file, ".csv"));
  for (const Part& part : parts_of(options)) {
    for (const Factors& factors : draw_factors(options.seed, part)) {
      table.add(std::to_string(raw.size()), part.name, factors);
      raw.push_back(factors);
    }
  }
  table.finish();
  write_factors(beside(file, ".raw_latents.npy"), raw);
  for (Factors& factors : raw) factors = physical(factors);
  write_factors(beside(file, ".latents.npy"), raw);
}

}  // namespace

int64_t render_cache(const fs::path& file, const Object& object, const DatasetOptions& options,
                     const Progress& progress) {
  require_valid(options);
  const int64_t total = options.count + options.test_count;
  const images::CacheKey key{total, options.quality.size, description(object, options, true)};
  if (fs::exists(file)) {
    const images::Cache complete(file, key);
    write_cache_tables(file, options);  // they may have been lost, or not been written yet
    return 0;
  }
  storage::make_folders(file.parent_path());
  const auto [train, test] = parts_of(options);
  std::atomic<int64_t> rendered{0};
  images::build_cache(
      file, key,
      [&, &train = train, &test = test](int64_t i) {
        ++rendered;
        return i < train.count ? picture(object, options, train, i)
                               : picture(object, options, test, i - train.count);
      },
      [&](int64_t done) {
        if (progress) progress(done, total, "images");
      });
  const images::Cache complete(file, key);  // another process may have made one of other images
  write_cache_tables(file, options);
  return rendered;
}

}  // namespace adassl::render
