#include "adassl/video/stream.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "adassl/core/error.h"

namespace adassl::video {

Stream::Stream(const std::filesystem::path& path, const Limits& limits)
    : limits_(limits),
      container_(path, limits),
      packet_(libav().av_packet_alloc()),
      frame_(libav().av_frame_alloc()) {
  ADASSL_CHECK(packet_ && frame_, "[video] there is no memory to read it");
  open_decoder();
}

void Stream::open_decoder() {
  const AVCodecParameters& parameters = *container_.stream().codecpar;
  ADASSL_CHECK(container_.stream().nb_frames <= limits_.frames, "[video] expected at most ",
               limits_.frames, " frames, got ", container_.stream().nb_frames);
  const AVCodec* codec = libav().avcodec_find_decoder(parameters.codec_id);
  const bool known = codec != nullptr && libav().av_match_name(codec->name, kDecoders) != 0;
  ADASSL_CHECK(known, "[video] is stored in a way that is not read here: ",
               libav().avcodec_get_name(parameters.codec_id));
  decoder_.reset(libav().avcodec_alloc_context3(codec));
  ADASSL_CHECK(decoder_, "[video] there is no memory to decode it");
  require(libav().avcodec_parameters_to_context(decoder_.get(), &parameters));
  decoder_->pkt_timebase = container_.stream().time_base;
  decoder_->max_pixels = padded(limits_.pixels);
  decoder_->err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE;
  decoder_->thread_count = 1;  // whoever reads has threads of its own
  require(libav().avcodec_open2(decoder_.get(), codec, nullptr));
}

void Stream::require(int code) const {
  ADASSL_CHECK(code >= 0, "[video] is damaged after frame ", frames_, ": ", reason_of(code));
}

const AVFrame* Stream::next() {
  for (;;) {
    const int got = libav().avcodec_receive_frame(decoder_.get(), frame_.get());
    if (got == AVERROR_EOF) return nullptr;
    if (got == AVERROR(EAGAIN)) {
      feed();
      continue;
    }
    require(got);
    const bool whole =
        frame_->decode_error_flags == 0 && (frame_->flags & AV_FRAME_FLAG_CORRUPT) == 0;
    ADASSL_CHECK(whole, "[video] is damaged in frame ", frames_);
    require_within(frame_->width, frame_->height, limits_);
    ++frames_;
    return frame_.get();
  }
}

/// Gives the decoder a packet, or tells it that there are no more.
void Stream::feed() {
  const int got = container_.read(*packet_);
  if (got == AVERROR_EOF) {
    require(libav().avcodec_send_packet(decoder_.get(), nullptr));
    return;
  }
  require(got);
  ADASSL_CHECK((packet_->flags & AV_PKT_FLAG_CORRUPT) == 0,
               "[video] is damaged or truncated after ", "frame ", frames_);
  if (wanted_ && packet_->pos != *wanted_) return;
  wanted_.reset();
  // Two packets can make a frame, and some make none.
  ADASSL_CHECK(++packets_ <= 4 * limits_.frames, "[video] expected at most ", limits_.frames,
               " frames, got more");
  const int64_t time = packet_->dts != AV_NOPTS_VALUE ? packet_->dts : packet_->pts;
  if (time != AV_NOPTS_VALUE) {
    const int64_t last = std::max(time, packet_->pts);  // AV_NOPTS_VALUE is the least number
    end_ = std::max(end_,
                    unit() * (static_cast<double>(last) + static_cast<double>(packet_->duration)));
    if ((packet_->flags & AV_PKT_FLAG_KEY) != 0 && packet_->pos >= 0) {
      constexpr size_t kMost = 64;  // a decoder holds fewer packets back
      if (key_packets_.size() == kMost) key_packets_.erase(key_packets_.begin());
      key_packets_.push_back({packet_->pos, time});
    }
  }
  require(libav().avcodec_send_packet(decoder_.get(), packet_.get()));
}

void Stream::seek(const KeyPacket& packet) {
  container_.seek(packet.time);
  libav().avcodec_flush_buffers(decoder_.get());
  wanted_ = packet.position;
  packets_ = 0;
}

std::optional<KeyPacket> Stream::key_packet() {
  const auto found = std::ranges::find(key_packets_, frame_->pkt_pos, &KeyPacket::position);
  if (found == key_packets_.end()) return {};
  const KeyPacket out = *found;
  key_packets_.erase(found);
  return out;
}

void Stream::require_whole() const {
  const double stated = container_.stated_end();
  // Not every container says how long its last frame is shown.
  const double tolerated = (rate() > 0 ? 2 / rate() : 1) + 0.01 * stated;
  ADASSL_CHECK(end_ + tolerated >= stated, "[video] is truncated: expected ", stated,
               " seconds as its header says, got ", end_);
}

double Stream::rate() const {
  const AVRational rate = container_.stream().avg_frame_rate;
  return rate.num > 0 && rate.den > 0 ? av_q2d(rate) : 0;
}

int Stream::orientation() const {
  size_t size = 0;
  const uint8_t* bytes =
      libav().av_stream_get_side_data(&container_.stream(), AV_PKT_DATA_DISPLAYMATRIX, &size);
  std::array<int32_t, 9> matrix{};
  if (bytes == nullptr || size < sizeof matrix) return 1;
  std::memcpy(matrix.data(), bytes, sizeof matrix);
  // The directions, to the right and down, into which the file's own rows and columns are turned.
  const auto sign = [&](size_t i) { return (matrix[i] > 0) - (matrix[i] < 0); };
  const std::array<int, 4> turned = {sign(0), sign(1), sign(3), sign(4)};
  constexpr std::array<std::array<int, 4>, 8> kExif = {{{1, 0, 0, 1},
                                                        {-1, 0, 0, 1},
                                                        {-1, 0, 0, -1},
                                                        {1, 0, 0, -1},
                                                        {0, 1, 1, 0},
                                                        {0, 1, -1, 0},
                                                        {0, -1, -1, 0},
                                                        {0, -1, 1, 0}}};
  const auto found = std::ranges::find(kExif, turned);
  return found == kExif.end() ? 1 : static_cast<int>(found - kExif.begin()) + 1;
}

}  // namespace adassl::video
