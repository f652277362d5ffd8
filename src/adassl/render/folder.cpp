#include <exception>
#include <system_error>

#include "adassl/core/error.h"
#include "adassl/images/decode.h"
#include "adassl/kernels/threads.h"
#include "adassl/render/dataset.h"
#include "adassl/render/tables.h"
#include "adassl/storage/file.h"
#include "adassl/storage/many_files.h"

namespace adassl::render {
namespace {

namespace fs = std::filesystem;

/// What rendering.json says: true if everything is there already. Makes the folder and the file if
/// there is nothing yet.
bool claim(const fs::path& folder, const Object& object, const DatasetOptions& options) {
  constexpr uintmax_t kLargest = 4096;
  const fs::path path = folder / "rendering.json";
  const std::string begun = description(object, options, false);
  const std::string complete = description(object, options, true);
  if (fs::exists(path)) {
    const std::string found = storage::read_file(path, kLargest);
    ADASSL_CHECK(found == begun || found == complete, "[", folder.string(),
                 "] expected a new folder, or one with the rendering ",
                 begun.substr(0, begun.size() - 1), ", got one with ",
                 found.substr(0, found.find('\n')));
    return found == complete;
  }
  ADASSL_CHECK(!fs::exists(folder) || fs::is_empty(folder), "[", folder.string(),
               "] expected a new folder, or one with a rendering.json, got one with other files");
  storage::make_folders(folder);
  storage::write_atomically(path, begun);
  return false;
}

void write_folder_tables(const fs::path& folder, const DatasetOptions& options) {
  FactorTable table(folder / "factors.csv");
  for (const Part& part : parts_of(options)) {
    const std::vector<Factors> raw = draw_factors(options.seed, part);
    if (raw.empty()) continue;
    storage::make_folders(folder / part.name / "images");
    for (int64_t i = 0; i < part.count; ++i) {
      table.add(part.name + "/images/" + file_name(i, part.count), part.name,
                raw[static_cast<size_t>(i)]);
    }
    std::vector<Factors> made;
    for (const Factors& factors : raw) made.push_back(physical(factors));
    write_factors(folder / part.name / "raw_latents.npy", raw);
    write_factors(folder / part.name / "latents.npy", made);
  }
  table.finish();
}

/// Whether there is a picture of this size. A file that was written just before the machine failed
/// can be damaged.
bool is_there(const fs::path& path, int64_t size) {
  if (!fs::exists(path)) return false;
  try {
    const std::string bytes = storage::read_file(path, images::Limits{}.bytes);
    const storage::Image image = images::decode(std::as_bytes(std::span(bytes)));
    return image.width == size && image.height == size;
  } catch (const Error&) {
    return false;
  }
}

/// Renders the missing ones of the pictures `first` ... first + count - 1; returns how many.
int64_t render_some(const fs::path& images, const Object& object, const DatasetOptions& options,
                    const Part& part, int64_t first, int64_t count) {
  std::vector<uint8_t> rendered(static_cast<size_t>(count));
  std::vector<std::exception_ptr> thrown(rendered.size());
  kernels::parallel_for(count, [&](int64_t k) {
    const auto at = static_cast<size_t>(k);
    try {
      const fs::path path = images / file_name(first + k, part.count);
      if (is_there(path, options.quality.size)) return;
      const storage::Image image = picture(object, options, part, first + k);
      storage::write_without_sync(path, storage::encode_png(image));
      rendered[at] = 1;
    } catch (...) {
      thrown[at] = std::current_exception();
    }
  });
  for (const auto& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
  return std::count(rendered.begin(), rendered.end(), 1);
}

}  // namespace

int64_t render_folder(const fs::path& folder, const Object& object, const DatasetOptions& options,
                      const Progress& progress) {
  constexpr int64_t kAtOnce = 128;
  require_valid(options);
  if (claim(folder, object, options)) return 0;
  write_folder_tables(folder, options);
  const int64_t total = options.count + options.test_count;
  int64_t done = 0;
  int64_t rendered = 0;
  for (const Part& part : parts_of(options)) {
    for (int64_t first = 0; first < part.count; first += kAtOnce) {
      const int64_t count = std::min(kAtOnce, part.count - first);
      rendered += render_some(folder / part.name / "images", object, options, part, first, count);
      done += count;
      if (progress) progress(done, total, "images");
    }
  }
  storage::sync_file_system(folder);
  storage::write_atomically(folder / "rendering.json", description(object, options, true));
  return rendered;
}

}  // namespace adassl::render
