#include "adassl/data/samples/video_files.h"

#include <algorithm>
#include <thread>

#include "adassl/core/error.h"
#include "adassl/storage/checksum.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;

uint64_t content_of(const video::Index& index) {
  return std::max<uint64_t>(1, storage::short_sum(std::as_bytes(std::span(index.sums))));
}

/// Whether the details are the index of a video, and of the one that the record describes.
bool are_of(const FileRecord& record, std::string_view details) {
  try {
    const video::Index index = video::unpack(details);
    return index.width == record.width && index.height == record.height &&
           content_of(index) == record.content;
  } catch (const Error&) {
    return false;
  }
}

constexpr FileKind kVideos = {"videos", ".avi, .mp4, .m4v, .mov, .mkv, .webm",
                              &video::is_video_name, 16, &are_of};

}  // namespace

VideoFiles::VideoFiles(const fs::path& path, const FileOptions& options, const Progress& progress)
    : files_(kVideos, path, options) {
  // A single video can take minutes. Progress is told by one thread only.
  const auto here = std::this_thread::get_id();
  const auto of_one = [&](double share) {
    if (count() > 1 || std::this_thread::get_id() != here) return;
    progress(static_cast<int64_t>(99 * share), 100, "per cent of the video checked");
  };
  const auto check = [&](const fs::path& file, FileRecord& record, std::string& details) {
    const video::Index found = video::index_video(file, {}, of_one);
    record.width = static_cast<uint32_t>(found.width);
    record.height = static_cast<uint32_t>(found.height);
    record.content = content_of(found);
    details = video::pack(found);
  };
  files_.check(check, /*decode=*/true, progress);
  ColumnBuilder names("video", /*text=*/true);
  for (int64_t i = 0; i < count(); ++i) {
    names.add(name(i));
    indexes_.push_back(files_.fault(i).empty() ? video::unpack(files_.details(i)) : video::Index{});
  }
  columns_ = {names.finish()};
  add_columns(columns_, files_.columns(), path.string());
  if (!options.cache.empty()) use_cache(options, progress);
}

void VideoFiles::use_cache(const FileOptions& options, const Progress& progress) {
  int64_t total = 0;
  for (const video::Index& one : indexes_) {
    first_.push_back(total);
    total += one.frames();
  }
  const auto make = [&](int64_t number) {
    const auto of = std::ranges::upper_bound(first_, number) - first_.begin() - 1;
    return images::at_working_size(decode(of, number - first_[static_cast<size_t>(of)]),
                                   options.cache_side);
  };
  if (total > 0) cache_ = files_.cache(options, total, make, progress);
}

storage::Image VideoFiles::read(int64_t sequence, int64_t frame) const {
  if (!cache_) return decode(sequence, frame);
  const images::Pixels pixels = cache_->image(first_[static_cast<size_t>(sequence)] + frame);
  return {pixels.width, pixels.height, 3, {pixels.bytes.begin(), pixels.bytes.end()}};
}

storage::Image VideoFiles::decode(int64_t sequence, int64_t frame) const {
  return readers_.frame(files_.path(sequence), index(sequence), frame);
}

}  // namespace adassl::data
