#pragma once

#include <optional>
#include <vector>

#include "adassl/video/container.h"

namespace adassl::video {

/// A packet from which a decoder can start, as the container says.
struct KeyPacket {
  int64_t position = 0;
  int64_t time = 0;
};

/// The frames of an open file, in the order in which they are shown. Next to an Error, which means
/// that the file is damaged, only seek() is of use.
class Stream {
 public:
  Stream(const std::filesystem::path& path, const Limits& limits);

  /// The next frame, valid until the next call; null at the end of the file.
  const AVFrame* next();
  /// Makes the decoder start at this packet.
  void seek(const KeyPacket& packet);

  /// The packet of the last frame, if it was a key packet.
  std::optional<KeyPacket> key_packet();
  /// Error if more than two frames and a hundredth of the video are missing at its end. Only to be
  /// asked there.
  void require_whole() const;

  double unit() const { return av_q2d(container_.stream().time_base); }  // of times, in seconds
  /// Frames a second; 0 if the file does not say.
  double rate() const;
  /// How frames are to be turned, as EXIF numbers it: 1 to 8.
  int orientation() const;
  double share() const { return container_.share(); }

 private:
  void open_decoder();
  void feed();
  void require(int code) const;

  Limits limits_;
  Container container_;
  std::unique_ptr<AVCodecContext, ReleaseWith<&Libav::avcodec_free_context>> decoder_;
  std::unique_ptr<AVPacket, ReleaseWith<&Libav::av_packet_free>> packet_;
  std::unique_ptr<AVFrame, ReleaseWith<&Libav::av_frame_free>> frame_;
  std::vector<KeyPacket> key_packets_;  // the latest ones
  std::optional<int64_t> wanted_;       // where the packet is that is looked for
  int64_t frames_ = 0;
  int64_t packets_ = 0;
  double end_ = 0;  // the latest second that a packet covers
};

}  // namespace adassl::video
