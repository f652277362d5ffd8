#include <algorithm>

#include "adassl/video/reader.h"
#include "fuzz/harness.h"

/// Indexes the input, and reads some of its frames in an order that is not theirs.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adassl;
  const auto path = fuzz::file_with(fuzz::text_of(data, size));
  const video::Limits limits{.pixels = 1 << 14, .frames = 64, .seconds = 1e4};
  video::Index index;
  if (!fuzz::accepted([&] { index = video::index_video(path, limits); })) return 0;
  fuzz::require(index.frames() > 0 && index.frames() <= limits.frames, "a video has frames");
  fuzz::require(index.width * index.height <= limits.pixels, "frames are within the limits");
  fuzz::require(std::ranges::is_sorted(index.times), "time does not run backwards");
  fuzz::require(video::unpack(video::pack(index)).sums == index.sums, "an index can be kept");
  // What was decoded once is decoded again, wherever the reader comes from.
  video::Reader reader(path, index);
  for (const int64_t n : {index.frames() - 1, int64_t{0}, index.frames() / 2}) {
    const storage::Image image = reader.frame(n);
    fuzz::require(image.width == index.width && image.height == index.height,
                  "a frame has the size that the index states");
    fuzz::require(image.pixels.size() == static_cast<size_t>(3 * image.width * image.height),
                  "a frame is RGB");
  }
  return 0;
}
