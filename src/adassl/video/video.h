#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Reads the frames of video files, by libav. The files are hostile: whatever the bytes are, the
/// result is frames or an Error of one line, sizes are checked before memory is taken, nothing but
/// the file itself is opened, and libav prints nothing and takes at most 512 MiB at once (both are
/// set for the process).
///
/// Frames are numbered as they are shown. A file is decoded from its beginning to its end once,
/// which gives its index; after that, a reader finds any frame by the nearest key frame. It
/// compares what it has decoded with the checksum in the index, so that a frame has the same bytes
/// whichever frames were read before.
namespace adassl::video {

/// Larger files are refused.
struct Limits {
  int64_t pixels = int64_t{1} << 25;  // width * height; 7680 x 4320 has fewer
  int64_t frames = int64_t{1} << 22;  // 38 hours with 30 frames a second
  double seconds = 1e6;
};

/// A frame from which a decoder can start.
struct KeyFrame {
  int64_t frame = 0;
  int64_t position = 0;  // of its packet in the file, in bytes
  int64_t time = 0;      // of its packet, in the unit of the stream
};

/// What is known about a file after it was decoded once.
struct Index {
  int64_t width = 0;  // of a frame as it is seen, turned as the file says
  int64_t height = 0;
  double rate = 0;             // frames a second on average; 0 if the file does not say
  std::vector<uint64_t> sums;  // the checksum of each frame as it was decoded
  std::vector<double> times;   // the second at which each frame is shown; the first one at 0
  std::vector<KeyFrame> keys;  // ascending

  int64_t frames() const { return static_cast<int64_t>(sums.size()); }
};

/// Whether the name ends like that of a video: .avi, .mp4, .m4v, .mov, .mkv or .webm, in any case.
bool is_video_name(std::string_view name);

/// Is told which share of the file, from 0 to 1, has been decoded.
using Progress = std::function<void(double share)>;

/// Decodes the whole file. Error if it is not an AVI, MP4, QuickTime, Matroska or WebM file, has no
/// frames, is damaged or truncated, changes its size, or is larger than the limits.
Index index_video(const std::filesystem::path& path, const Limits& limits = {},
                  const Progress& progress = {});

/// An index as bytes, to be kept in a file of this machine. Error if they are damaged.
std::string pack(const Index& index);
Index unpack(std::string_view bytes);

}  // namespace adassl::video
