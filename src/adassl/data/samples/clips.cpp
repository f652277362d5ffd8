#include "adassl/data/samples/clips.h"

#include <algorithm>

#include "adassl/core/error.h"
#include "adassl/data/samples/images.h"
#include "adassl/data/samples/table.h"
#include "adassl/storage/checksum.h"

namespace adassl::data {

Clips::Clips(const Options& options, const Progress& progress)
    : frames_(options.frames), every_(options.every) {
  ADASSL_CHECK(options.sequence.empty() && options.time.empty(),
               "[samples] clips: expected neither sequence nor time: videos or folders are "
               "sequences, and samples.clock says what time is");
  declared_ = options.columns;
  from_ = open_sequences(options.path, options.files, progress);
  cut(options);
  reject(options);
  tell_time(options);
  find_columns(options);
}

void Clips::cut(const Options& options) {
  const int64_t length = (frames_ - 1) * every_ + 1;
  const auto add = [&](int64_t sequence, int64_t first) {
    sequences_.push_back(static_cast<int32_t>(sequence));
    firsts_.push_back(static_cast<int32_t>(first));
  };
  for (int64_t s = 0; s < from_->count(); ++s) {
    if (from_->frames(s) == 0) add(s, 0);  // unusable
    for (int64_t first = 0; first + length <= from_->frames(s); first += options.stride) {
      add(s, first);
    }
  }
  ADASSL_CHECK(count() > 0, "[", options.path, "] expected a video or folder with at least ",
               length, " frames for clips of ", frames_, ", got none");
}

void Clips::reject(const Options& options) {
  for (int64_t i = 0; i < count(); ++i) {
    std::string fault;
    for (int64_t t = 0; t < frames_ && fault.empty(); ++t) {
      fault = from_->fault(sequence(i), place(i, t));
    }
    if (!fault.empty()) rejected_.push_back({i, name(i), std::move(fault)});
  }
  if (static_cast<int64_t>(rejected_.size()) == count()) {
    const std::string none =
        join("[", options.path, "] expected clips that can be read, got none: '",
             rejected_.front().name, "' ", rejected_.front().reason);
    if (from_->disk_failed()) throw ReadError(none, EIO);
    throw Error(none);
  }
  require_tolerable(rejected_, count(), options.tolerate, options.path, from_->disk_failed());
}

void Clips::tell_time(const Options& options) {
  const bool shown = options.clock == "seconds";
  ADASSL_CHECK(!shown || options.rate == 0,
               "[samples] clips: expected either clock = \"seconds\" or a rate, got both");
  const int64_t last = (frames_ - 1) * every_;
  const double rate = options.rate > 0 ? options.rate : 1;
  duration_ = shown ? 0 : static_cast<double>(last) / rate;
  for (int64_t i = 0; i < count(); ++i) {
    const int64_t s = sequence(i), first = place(i, 0);
    const bool seconds = shown && from_->frames(s) > 0;
    times_.push_back(seconds ? from_->seconds(s, first) : static_cast<double>(first) / rate);
    if (seconds) duration_ = std::max(duration_, from_->seconds(s, first + last) - times_.back());
  }
}

void Clips::find_columns(const Options& options) {
  std::vector<int64_t> file_of;  // a table is about files: a clip has what its first frame has
  Names names;
  for (int64_t i = 0; i < count(); ++i) {
    file_of.push_back(from_->file(sequence(i), place(i, 0)));
    names.add(from_->files()[file_of.back()]);
  }
  columns_.push_back(folder_column(names));
  const auto add = [&](DataColumns of_files, const std::string& table) {
    for (DataColumn& column : of_files) column = picked(column, file_of);
    add_columns(columns_, std::move(of_files), table);
  };
  add(from_->columns(), options.path);
  if (options.table.empty()) return;
  add(read_table_by_name(options.table, options.key, from_->files()), options.table);
}

std::string Clips::name(int64_t i) const {
  const std::string whole = from_->name(sequence(i));
  return from_->frames(sequence(i)) == 0 ? whole : join(whole, " frame ", place(i, 0));
}

uint64_t Clips::content(int64_t i) const {
  std::vector<uint64_t> sums;
  for (int64_t t = 0; t < frames_; ++t) sums.push_back(from_->content(sequence(i), place(i, t)));
  if (std::ranges::find(sums, 0U) != sums.end()) return 0;
  return storage::short_sum(std::as_bytes(std::span(sums)));
}

}  // namespace adassl::data
