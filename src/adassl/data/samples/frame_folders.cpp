#include "adassl/data/samples/frame_folders.h"

#include <algorithm>
#include <numeric>

#include "adassl/core/error.h"

namespace adassl::data {

FrameFolders::FrameFolders(const std::filesystem::path& path, const FileOptions& options,
                           const Progress& progress)
    : files_(path, options, progress) {
  order_.resize(static_cast<size_t>(files_.count()));
  std::iota(order_.begin(), order_.end(), 0);
  const Names& names = files_.names();
  std::ranges::sort(order_, [&](int64_t a, int64_t b) {
    const std::string_view left = folder_of(names[a]), right = folder_of(names[b]);
    return left != right ? left < right : natural_less(names[a], names[b]);
  });
  for (size_t place = 0; place < order_.size(); ++place) {
    const bool same =
        place > 0 && folder_of(names[order_[place]]) == folder_of(names[order_[place - 1]]);
    if (!same) begin_.push_back(static_cast<int64_t>(place));
  }
  begin_.push_back(files_.count());
}

std::string FrameFolders::name(int64_t sequence) const {
  return std::string(folder_of(files()[file(sequence, 0)]));
}

int64_t FrameFolders::frames(int64_t sequence) const {
  const auto at = static_cast<size_t>(sequence);
  return begin_[at + 1] - begin_[at];
}

std::string FrameFolders::fault(int64_t sequence, int64_t frame) const {
  const int64_t i = file(sequence, frame);
  const std::string fault = files_.fault(i);
  return fault.empty() ? "" : join("frame '", files()[i], "': ", fault);
}

std::pair<int64_t, int64_t> FrameFolders::extent(int64_t sequence) const {
  const FileRecord& record = files_.record(file(sequence, 0));
  return {record.width, record.height};
}

double FrameFolders::seconds(int64_t /*sequence*/, int64_t /*frame*/) const {
  throw Error(
      "[samples.clock] expected videos, because images do not say when they were taken; "
      "samples.rate says how many there are in a second");
}

}  // namespace adassl::data
