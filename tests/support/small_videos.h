#pragma once

#include <cmath>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "adassl/storage/png.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

/// Small videos, whose frames tell their numbers by how light they are.
namespace adassl::testing {

/// The end of the file name chooses the container.
struct SmallVideo {
  const char* encoder = "mpeg4";
  int frames = 40;
  int width = 32;
  int height = 24;
  int gop = 12;         // frames from one key frame to the next
  int b_frames = 0;     // frames that are predicted from a later one too
  int rate = 10;        // frames a second
  int rotation = 0;     // degrees by which a player turns it, counter-clockwise
  bool mark = false;    // whether the upper left quarter is black
  int wider_from = -1;  // the frame from which on it has twice the width; -1: none
};

inline int light_of(int number) { return 10 + 5 * (number % 48); }

/// The number of a frame, from its light.
inline int number_in(const storage::Image& image) {
  double sum = 0;
  for (const uint8_t value : image.pixels) sum += value;
  return static_cast<int>(
      std::lround((sum / static_cast<double>(image.pixels.size()) - light_of(0)) / 5));
}

inline bool has_encoder(const char* name) { return avcodec_find_encoder_by_name(name) != nullptr; }

namespace detail {

inline int must(int code, const char* what) {
  if (code < 0) throw std::runtime_error(std::string("libav cannot ") + what);
  return code;
}

struct Closer {
  void operator()(AVCodecContext* c) const { avcodec_free_context(&c); }
  void operator()(AVFrame* f) const { av_frame_free(&f); }
  void operator()(AVPacket* p) const { av_packet_free(&p); }
  void operator()(AVFormatContext* c) const {
    avio_closep(&c->pb);
    avformat_free_context(c);
  }
};
template <class T>
using Owned = std::unique_ptr<T, Closer>;

inline Owned<AVFormatContext> new_file(const std::filesystem::path& path) {
  av_log_set_level(AV_LOG_QUIET);
  std::filesystem::create_directories(path.parent_path());
  AVFormatContext* context = nullptr;
  must(avformat_alloc_output_context2(&context, nullptr, nullptr, path.c_str()), "choose a format");
  Owned<AVFormatContext> out(context);
  out->flags |= AVFMT_FLAG_BITEXACT;  // no version of libav in the file
  must(avio_open(&out->pb, path.c_str(), AVIO_FLAG_WRITE), "create a file");
  return out;
}

inline Owned<AVCodecContext> new_encoder(const SmallVideo& video, int width, bool global_header) {
  const AVCodec* codec = avcodec_find_encoder_by_name(video.encoder);
  if (codec == nullptr) throw std::runtime_error("there is no such encoder");
  Owned<AVCodecContext> out(avcodec_alloc_context3(codec));
  out->width = width;
  out->height = video.height;
  out->time_base = {1, video.rate};
  out->framerate = {video.rate, 1};
  out->gop_size = video.gop;
  out->max_b_frames = video.b_frames;
  out->pix_fmt = codec->pix_fmts[0];
  out->flags |= AV_CODEC_FLAG_QSCALE | AV_CODEC_FLAG_BITEXACT;
  out->global_quality = 3 * FF_QP2LAMBDA;
  out->thread_count = 1;
  if (global_header) out->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  if (std::string(video.encoder) == "libx264") av_opt_set(out->priv_data, "crf", "12", 0);
  must(avcodec_open2(out.get(), codec, nullptr), "open an encoder");
  return out;
}

inline Owned<AVFrame> frame_of(const AVCodecContext& encoder, int number, bool mark) {
  Owned<AVFrame> out(av_frame_alloc());
  out->format = encoder.pix_fmt;
  out->width = encoder.width;
  out->height = encoder.height;
  out->pts = number;
  out->quality = encoder.global_quality;
  must(av_frame_get_buffer(out.get(), 0), "make a frame");
  const bool full = encoder.pix_fmt == AV_PIX_FMT_YUVJ420P;
  const int light = full ? light_of(number) : 16 + light_of(number) * 219 / 255;
  for (int plane = 0; plane < 3; ++plane) {
    const int shift = plane == 0 ? 0 : av_pix_fmt_desc_get(encoder.pix_fmt)->log2_chroma_h;
    const int rows = encoder.height >> shift;
    for (int y = 0; y < rows; ++y) {
      for (int x = 0; x < out->linesize[plane]; ++x) {
        const int pattern = (x * 7 + y * 3 + number * 5) % 5 - 2;  // frames that differ everywhere
        const bool black = mark && x < encoder.width / 2 && y < encoder.height / 2;
        out->data[plane][y * out->linesize[plane] + x] =
            static_cast<uint8_t>(plane > 0 ? 128
                                 : black   ? 16
                                           : light + pattern);
      }
    }
  }
  return out;
}

/// Gives the encoder a frame, or null at the end, and writes what it has made.
inline void encode(AVCodecContext& encoder, const AVFrame* frame, AVFormatContext& file) {
  must(avcodec_send_frame(&encoder, frame), "encode a frame");
  const Owned<AVPacket> packet(av_packet_alloc());
  while (avcodec_receive_packet(&encoder, packet.get()) >= 0) {
    packet->duration = 1;
    av_packet_rescale_ts(packet.get(), encoder.time_base, file.streams[0]->time_base);
    must(av_interleaved_write_frame(&file, packet.get()), "write a packet");
  }
}

}  // namespace detail

inline void put_video(const std::filesystem::path& path, const SmallVideo& video = {}) {
  using namespace detail;
  const auto file = new_file(path);
  auto encoder = new_encoder(video, video.width, (file->oformat->flags & AVFMT_GLOBALHEADER) != 0);
  AVStream* stream = avformat_new_stream(file.get(), nullptr);
  stream->time_base = encoder->time_base;
  stream->avg_frame_rate = encoder->framerate;
  must(avcodec_parameters_from_context(stream->codecpar, encoder.get()), "describe a stream");
  if (video.rotation != 0) {
    uint8_t* matrix =
        av_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, 9 * sizeof(int32_t));
    av_display_rotation_set(reinterpret_cast<int32_t*>(matrix), -video.rotation);
  }
  must(avformat_write_header(file.get(), nullptr), "write a header");
  for (int i = 0; i < video.frames; ++i) {
    if (i == video.wider_from) {
      encode(*encoder, nullptr, *file);
      encoder = new_encoder(video, 2 * video.width, false);
    }
    encode(*encoder, frame_of(*encoder, i, video.mark).get(), *file);
  }
  if (video.frames > 0) encode(*encoder, nullptr, *file);
  must(av_write_trailer(file.get()), "finish a file");
}

/// A file with nothing but sound.
inline void put_sound(const std::filesystem::path& path) {
  using namespace detail;
  const auto file = new_file(path);
  AVCodecParameters& sound = *avformat_new_stream(file.get(), nullptr)->codecpar;
  sound.codec_type = AVMEDIA_TYPE_AUDIO;
  sound.codec_id = AV_CODEC_ID_PCM_S16LE;
  sound.sample_rate = 8000;
  sound.bits_per_coded_sample = 16;
  sound.block_align = 2;
  av_channel_layout_default(&sound.ch_layout, 1);
  must(avformat_write_header(file.get(), nullptr), "write a header");
  const Owned<AVPacket> packet(av_packet_alloc());
  must(av_new_packet(packet.get(), 8000), "make a packet");
  std::fill_n(packet->data, 8000, uint8_t{3});
  packet->duration = 4000;
  packet->pts = packet->dts = 0;
  must(av_interleaved_write_frame(file.get(), packet.get()), "write a packet");
  must(av_write_trailer(file.get()), "finish a file");
}

}  // namespace adassl::testing
