#include "adassl/data/samples/image_files.h"

#include <algorithm>

#include "adassl/core/error.h"
#include "adassl/storage/checksum.h"
#include "adassl/storage/file.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;

constexpr FileKind kImages = {"images", ".jpg, .jpeg, .png, .webp", &is_image_name, 1024};

void check_image(const fs::path& path, bool decode, FileRecord& record) {
  const std::string bytes = storage::read_file(path, images::Limits{}.bytes);
  ADASSL_CHECK(!bytes.empty(), "is empty");
  const auto file = std::as_bytes(std::span(bytes));
  // The header alone tells whether an image is too large to be decoded.
  const images::Facts facts = images::inspect(file);
  record.width = static_cast<uint32_t>(facts.width);
  record.height = static_cast<uint32_t>(facts.height);
  images::require_within(facts.width, facts.height);
  if (!decode) return;
  record.content = std::max<uint64_t>(1, storage::short_sum(bytes, 0));
  images::decode(file);
}

}  // namespace

ImageFiles::ImageFiles(const fs::path& path, const FileOptions& options, const Progress& progress)
    : files_(kImages, path, options) {
  look_at(options, progress);
}

ImageFiles::ImageFiles(fs::path folder, Names names, const fs::path& described_by,
                       const FileOptions& options, const Progress& progress)
    : files_(kImages, std::move(folder), std::move(names), described_by, options) {
  look_at(options, progress);
}

/// Checks the files that are not known to be good, and opens the cache.
void ImageFiles::look_at(const FileOptions& options, const Progress& progress) {
  const bool whole = options.check == "decode";
  const auto check = [whole](const fs::path& file, FileRecord& record, std::string& /*details*/) {
    check_image(file, whole, record);
  };
  files_.check(check, whole, progress);
  if (options.cache.empty()) return;
  const auto make = [&](int64_t i) {
    return fault(i).empty() ? images::at_working_size(decode(i), options.cache_side)
                            : storage::Image{};
  };
  cache_ = files_.cache(options, count(), make, progress);
}

storage::Image ImageFiles::read(int64_t i) const {
  if (!cache_) return decode(i);
  const images::Pixels pixels = cache_->image(i);
  return {pixels.width, pixels.height, 3, {pixels.bytes.begin(), pixels.bytes.end()}};
}

storage::Image ImageFiles::decode(int64_t i) const {
  const fs::path path = files_.path(i);
  const std::string bytes = storage::read_file(path, images::Limits{}.bytes);
  try {
    return images::decode(std::as_bytes(std::span(bytes)));
  } catch (const Error& error) {
    throw Error(join("[", path.string(), "] ", without_place(error.what()),
                     "; it was good when it was checked: did it change?"));
  }
}

}  // namespace adassl::data
