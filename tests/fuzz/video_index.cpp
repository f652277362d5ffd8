#include "adassl/video/reader.h"
#include "fuzz/harness.h"

namespace {

using namespace adassl;

/// A video of the other corpus, whose own index is a part of this one.
std::filesystem::path small_video() { return ADASSL_FUZZ_CORPUS "/video/mpeg4-mp4"; }

}  // namespace

/// What the index of files remembers of a video: which frames there are and where a decoder can
/// start. Whatever it says, a frame is the right one or an Error.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  video::Index index;
  if (!fuzz::accepted([&] { index = video::unpack(bytes); })) return 0;
  fuzz::require(video::pack(index) == bytes, "an index that was read is written as it was");
  video::Readers readers;
  for (const int64_t frame : {index.frames() - 1, int64_t{0}, index.frames() / 2}) {
    fuzz::accepted([&] {
      const storage::Image image = readers.frame(small_video(), index, frame);
      fuzz::require(image.channels == 3, "a frame is RGB");
    });
  }
  return 0;
}
