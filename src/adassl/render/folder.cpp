#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>

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

/// Whether there is nothing in the folder but hidden files: those of a file manager, or the
/// temporary one of a process that was killed before it had written rendering.json.
bool is_unused(const fs::path& folder) {
  std::error_code code;
  auto entries = fs::directory_iterator(folder, code);
  for (; !code && entries != fs::directory_iterator(); entries.increment(code)) {
    if (!entries->path().filename().string().starts_with('.')) return false;
  }
  return !code;
}

/// The folder, locked as long as the result lives. Not open where the file system cannot lock it.
storage::FileDescriptor lock(const fs::path& folder) {
  storage::FileDescriptor out(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (out.is_open() && ::flock(out.number(), LOCK_EX | LOCK_NB) == 0) return out;
  ADASSL_CHECK(!out.is_open() || errno != EWOULDBLOCK, "[", folder.string(),
               "] is being rendered by another process");
  return {};
}

/// Removes the temporary files of killed processes directly in a folder, ".007.png.PID-N.tmp".
void remove_leftovers(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;  // such a file does no harm
  auto entries = fs::directory_iterator(folder, ignored);
  for (; !ignored && entries != fs::directory_iterator(); entries.increment(ignored)) {
    const std::string name = entries->path().filename().string();
    if (name.starts_with('.') && name.ends_with(".tmp")) found.push_back(entries->path());
  }
  for (const fs::path& path : found) fs::remove(path, ignored);
}

/// What rendering.json says: true if everything is there already. Makes the file if there is
/// nothing yet.
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
  ADASSL_CHECK(is_unused(folder), "[", folder.string(),
               "] expected a new folder, or one with a rendering.json, got one with other files");
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
  kernels::parallel_for_or_throw(count, [&](int64_t k) {
    const fs::path path = images / file_name(first + k, part.count);
    if (is_there(path, options.quality.size)) return;
    const storage::Image image = picture(object, options, part, first + k);
    storage::write_without_sync(path, storage::encode_png(image));
    rendered[static_cast<size_t>(k)] = 1;
  });
  return std::count(rendered.begin(), rendered.end(), 1);
}

}  // namespace

int64_t render_folder(const fs::path& folder, const Object& object, const DatasetOptions& options,
                      const Progress& progress) {
  constexpr int64_t kAtOnce = 128;
  require_valid(options);
  storage::make_folders(folder);
  const storage::FileDescriptor locked = lock(folder);
  if (claim(folder, object, options)) return 0;
  if (locked.is_open()) {  // nobody else writes here now
    for (const char* part : {"", "train", "train/images", "test", "test/images"}) {
      remove_leftovers(folder / part);
    }
  }
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
