#include "adassl/data/samples/image_files.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/data/samples/table.h"
#include "adassl/data/source.h"
#include "adassl/storage/checksum.h"
#include "adassl/storage/csv.h"
#include "adassl/storage/file.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;

/// The reason without the part in brackets that names the file or the decoder.
std::string without_place(const std::string& message) {
  if (!message.starts_with('[')) return message;
  const size_t end = message.find("] ");
  return end == std::string::npos ? message : message.substr(end + 2);
}

/// The lines of a text file, without their ends.
Names lines_of(const fs::path& path) {
  constexpr uintmax_t kLargest = uintmax_t{4} << 30;
  const std::string text = storage::read_file(path, kLargest);
  Names out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ADASSL_CHECK(line.find('\0') == std::string_view::npos, "[", path.string(), ":",
                 out.count() + 1, "] expected a path, got a zero byte");
    if (!line.empty()) out.add(line);
    at = end + 1;
  }
  return out;
}

}  // namespace

void ImageFileOptions::visit(Fields& field) {
  field("root", root, "the folder that a list's paths are relative to; empty: that of the list");
  field("follow_links", follow_links, "follow symbolic links that lead out of the folder");
  field("check", check,
        "how all files are checked once, before training: decode them, or read their headers only; "
        "then a file that is damaged later on ends the run",
        {"decode", "header"});
  field("index", index,
        "the file that remembers which images were checked; auto: in the user's cache folder; "
        "none: check them each time");
  field("cache", cache,
        "a file that keeps all images decoded, from which views are cut; it is made when it is "
        "not there; empty: none");
  field("cache_side", cache_side,
        "the length to which the shorter side of larger images is resized in the cache", {1, 8192});
}

ImageFiles::ImageFiles(const fs::path& path, const ImageFileOptions& options,
                       const Progress& progress) {
  ADASSL_CHECK(!path.empty(), "[samples.path] expected a folder or a list of files, got nothing");
  std::vector<FileStamp> stamps;
  if (fs::is_directory(path)) {
    folder_ = path;
    FoundFiles found = find_images(path, options.follow_links);
    names_ = std::move(found.names);
    stamps = std::move(found.stamps);
    others_ = found.others;
  } else {
    folder_ = options.root.empty() ? path.parent_path() : fs::path(options.root);
    read_list(path);
    stamps = stamps_of(folder_, names_);
  }
  ADASSL_CHECK(count() > 0, "[", path.string(),
               "] expected images (.jpg, .jpeg, .png, .webp), got none");
  index_.records.resize(stamps.size());
  for (int64_t i = 0; i < count(); ++i) {
    FileRecord& record = index_.records[static_cast<size_t>(i)];
    record.name = storage::short_sum(names_[i], 0);
    record.stamp = stamps[static_cast<size_t>(i)];
  }
  const fs::path index = options.index == "auto"   ? default_index(path)
                         : options.index == "none" ? fs::path()
                                                   : fs::path(options.index);
  check_files(index, options.check == "decode", progress);
  if (!options.cache.empty()) use_cache(options.cache, options.cache_side, progress);
}

void ImageFiles::use_cache(const fs::path& path, int64_t side, const Progress& progress) {
  storage::Checksum list;
  for (const FileRecord& record : index_.records) {
    const std::array<uint64_t, 4> file = {record.name, record.stamp.size, record.content,
                                          record.verdict == kGood};
    list.add(std::as_bytes(std::span(file)));
  }
  const images::CacheKey key{count(), side, list.hex()};
  if (!fs::exists(path)) {
    images::build_cache(
        path, key,
        [&](int64_t i) {
          return fault(i).empty() ? images::at_working_size(decode(i), side) : storage::Image{};
        },
        [&](int64_t done) { progress(done, count(), "images cached"); });
  }
  cache_ = std::make_shared<images::Cache>(path, key);
}

void ImageFiles::read_list(const fs::path& path) {
  const std::string extension = path.extension().string();
  if (extension != ".csv" && extension != ".tsv") {
    names_ = lines_of(path);
    return;
  }
  storage::CsvReader reader(path);
  const int64_t key = key_column(reader.columns());
  ADASSL_CHECK(key >= 0, "[", path.string(),
               "] expected a column path, file, filename, image, name or id, got ",
               text::list(reader.columns()));
  for (std::vector<std::string> fields; reader.next(fields);) {
    ADASSL_CHECK(!fields[static_cast<size_t>(key)].empty(), "[", reader.where(),
                 "] expected a path, got an empty field");
    names_.add(fields[static_cast<size_t>(key)]);
  }
  columns_ = read_table(path);
  columns_.erase(columns_.begin() + key);
}

/// Takes over what is known about files that have not changed.
void ImageFiles::reuse(const FileIndex& known) {
  const std::vector<FileRecord>& old = known.records;
  const auto name_of = [&](size_t k) { return old[k].name; };
  std::vector<uint32_t> order;  // made when the files are no longer the same ones
  index_.reasons = known.reasons;
  for (size_t i = 0; i < index_.records.size() && !old.empty(); ++i) {
    FileRecord& record = index_.records[i];
    size_t at = i;
    if (i >= old.size() || name_of(i) != record.name) {
      if (order.empty()) {
        order.resize(old.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::sort(order, {}, name_of);
      }
      const auto found = std::ranges::lower_bound(order, record.name, {}, name_of);
      if (found == order.end() || name_of(*found) != record.name) continue;
      at = *found;
    }
    if (old[at].stamp == record.stamp && record.stamp != FileStamp{}) record = old[at];
  }
}

void ImageFiles::check_files(const fs::path& index, bool decode, const Progress& progress) {
  reuse(read_index(index));
  std::vector<int64_t> open;
  for (int64_t i = 0; i < count(); ++i) {
    const FileRecord& known = record(i);
    if (known.verdict == kUnknown || (decode && known.content == 0)) open.push_back(i);
  }
  using Clock = std::chrono::steady_clock;
  auto saved = Clock::now();
  constexpr size_t kBlock = 1024;
  for (size_t done = 0; done < open.size(); done += kBlock) {
    const auto block = std::span(open).subspan(done, std::min(kBlock, open.size() - done));
    std::vector<std::string> faults(block.size());
    in_chunks(static_cast<int64_t>(block.size()), [&](int64_t first, int64_t rows) {
      for (int64_t k = first; k < first + rows; ++k) {
        faults[static_cast<size_t>(k)] = check_file(block[static_cast<size_t>(k)], decode);
      }
    });
    for (size_t k = 0; k < block.size(); ++k) {
      index_.records[static_cast<size_t>(block[k])].verdict =
          faults[k].empty() ? kGood : index_.verdict_for(faults[k]);
    }
    progress(static_cast<int64_t>(done + block.size()), static_cast<int64_t>(open.size()),
             "images checked");
    // A long first check that is interrupted continues where it was.
    if (index.empty() || Clock::now() - saved < std::chrono::seconds(30)) continue;
    write_index(index, index_);
    saved = Clock::now();
  }
  if (!index.empty() && !open.empty()) write_index(index, index_);
}

/// Fills the record of a file; returns why it cannot be used.
std::string ImageFiles::check_file(int64_t i, bool decode) {
  FileRecord& record = index_.records[static_cast<size_t>(i)];
  try {
    const fs::path path = folder_ / names_[i];
    const std::string bytes = storage::read_file(path, images::Limits{}.bytes);
    ADASSL_CHECK(!bytes.empty(), "is empty");
    const auto file = std::as_bytes(std::span(bytes));
    // The header alone tells whether an image is too large to be decoded.
    const images::Facts facts = images::inspect(file);
    record.width = static_cast<uint32_t>(facts.width);
    record.height = static_cast<uint32_t>(facts.height);
    if (!decode) return "";
    record.content = std::max<uint64_t>(1, storage::short_sum(bytes, 0));
    images::decode(file);
  } catch (const Error& error) {
    record.content = std::max<uint64_t>(1, record.content);
    return without_place(error.what());
  }
  return "";
}

std::string ImageFiles::fault(int64_t i) const {
  const uint32_t verdict = record(i).verdict;
  return verdict < 2 ? "" : index_.reasons[verdict - 2];
}

storage::Image ImageFiles::read(int64_t i) const {
  if (!cache_) return decode(i);
  const images::Pixels pixels = cache_->image(i);
  return {pixels.width, pixels.height, 3, {pixels.bytes.begin(), pixels.bytes.end()}};
}

storage::Image ImageFiles::decode(int64_t i) const {
  const fs::path path = folder_ / names_[i];
  const std::string bytes = storage::read_file(path, images::Limits{}.bytes);
  try {
    return images::decode(std::as_bytes(std::span(bytes)));
  } catch (const Error& error) {
    throw Error(join("[", path.string(), "] ", without_place(error.what()),
                     "; it was good when it was checked: did it change?"));
  }
}

}  // namespace adassl::data
