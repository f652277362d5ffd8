#include "adassl/data/samples/clips.h"

#include <algorithm>
#include <numeric>

#include "adassl/core/error.h"
#include "adassl/data/samples/images.h"
#include "adassl/data/samples/table.h"

namespace adassl::data {

Clips::Clips(const Options& options, const Progress& progress)
    : files_(options.path, options.files, progress),
      frames_(options.frames),
      every_(options.every) {
  ADASSL_CHECK(options.sequence.empty() && options.time.empty(),
               "[samples] clips: expected neither sequence nor time: folders are sequences and "
               "frames are counted");
  declared_ = options.columns;
  find_clips(options);
  Names names;
  for (int64_t i = 0; i < count(); ++i) names.add(files_.names()[file_of(i, 0)]);
  columns_.push_back(folder_column(names));
  if (!options.table.empty()) {  // about frames: a clip has what its first frame has
    std::vector<int64_t> firsts;
    for (int64_t i = 0; i < count(); ++i) firsts.push_back(file_of(i, 0));
    DataColumns of_files = read_table_by_name(options.table, options.key, files_.names());
    for (DataColumn& column : of_files) column = picked(column, firsts);
    add_columns(columns_, std::move(of_files), options.table);
  }
  for (int64_t i = 0; i < count(); ++i) {
    for (int64_t frame = 0; frame < frames_; ++frame) {
      const std::string fault = files_.fault(file_of(i, frame));
      if (fault.empty()) continue;
      rejected_.push_back(
          {i, name(i), join("frame '", files_.names()[file_of(i, frame)], "': ", fault)});
      break;
    }
  }
  require_tolerable(rejected_, count(), options.tolerate, options.path);
}

void Clips::find_clips(const Options& options) {
  order_.resize(static_cast<size_t>(files_.count()));
  std::iota(order_.begin(), order_.end(), 0);
  const Names& names = files_.names();
  const auto folder = [&](int64_t place) {
    return folder_of(names[order_[static_cast<size_t>(place)]]);
  };
  std::ranges::sort(order_, [&](int64_t a, int64_t b) {
    const std::string_view left = folder_of(names[a]), right = folder_of(names[b]);
    return left != right ? left < right : natural_less(names[a], names[b]);
  });
  const int64_t length = (frames_ - 1) * every_ + 1;
  int32_t sequence = 0;
  for (int64_t begin = 0; begin < files_.count(); ++sequence) {
    int64_t end = begin;
    while (end < files_.count() && folder(end) == folder(begin)) ++end;
    for (int64_t first = begin; first + length <= end; first += options.stride) {
      clips_.push_back({first, static_cast<int32_t>(first - begin)});
      sequences_.push_back(sequence);
      times_.push_back(static_cast<double>(first - begin));
    }
    begin = end;
  }
  ADASSL_CHECK(!clips_.empty(), "[", options.path, "] expected a folder with at least ", length,
               " frames for clips of ", frames_, ", got none");
  duration_ = static_cast<double>(length - 1);
  if (options.rate > 0) {
    for (double& time : times_) time /= options.rate;
    duration_ /= options.rate;
  }
}

std::string Clips::name(int64_t i) const {
  const Clip& clip = clips_[static_cast<size_t>(i)];
  return join(folder_of(files_.names()[file_of(i, 0)]), " frame ", clip.number);
}

}  // namespace adassl::data
