#include "adassl/video/pixels.h"

#include <array>
#include <cstring>
#include <utility>

#include "adassl/core/error.h"
#include "adassl/storage/checksum.h"

namespace adassl::video {
namespace {

AVPixelFormat format_of(const AVFrame& frame) { return static_cast<AVPixelFormat>(frame.format); }

void require(bool good, const AVFrame& frame) {
  if (good) return;
  const char* name = libav().av_get_pix_fmt_name(format_of(frame));
  throw Error(join("[video] has pixels that cannot be turned into RGB: ", frame.width, "x",
                   frame.height, " ", name == nullptr ? "of an unknown kind" : name));
}

}  // namespace

uint64_t sum_of(const AVFrame& frame) {
  const int size = libav().av_image_get_buffer_size(format_of(frame), frame.width, frame.height, 1);
  require(size > 0, frame);
  std::vector<uint8_t> bytes(static_cast<size_t>(size));
  const int copied =
      libav().av_image_copy_to_buffer(bytes.data(), size, frame.data, frame.linesize,
                                      format_of(frame), frame.width, frame.height, 1);
  require(copied >= 0, frame);
  return storage::short_sum(std::as_bytes(std::span(bytes)));
}

void require_convertible(const AVFrame& frame) {
  require(libav().sws_isSupportedInput(format_of(frame)) != 0, frame);
}

ToRgb::ToRgb() : rgb_(libav().av_frame_alloc()) {
  ADASSL_CHECK(rgb_, "[video] there is no memory for a frame");
}

ToRgb::~ToRgb() { libav().sws_freeContext(context_); }

ToRgb::Kind ToRgb::kind_of(const AVFrame& frame) {
  Kind out{frame.width, frame.height, frame.format, frame.colorspace,
           frame.color_range == AVCOL_RANGE_JPEG};
  // Formats that only say that the full range is used.
  constexpr std::array<std::pair<AVPixelFormat, AVPixelFormat>, 4> kFull = {
      {{AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUV420P},
       {AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUV422P},
       {AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUV444P},
       {AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUV440P}}};
  for (const auto& [full, plain] : kFull) {
    if (frame.format != full) continue;
    out.format = plain;
    out.full = true;
  }
  const AVPixFmtDescriptor* facts = libav().av_pix_fmt_desc_get(format_of(frame));
  const bool grey = facts != nullptr && facts->nb_components <= 2;
  out.full = out.full || (grey && frame.color_range == AVCOL_RANGE_UNSPECIFIED);
  return out;
}

void ToRgb::prepare(const AVFrame& frame) {
  const Kind kind = kind_of(frame);
  if (context_ != nullptr && kind == kind_) return;
  libav().sws_freeContext(context_);
  constexpr int kFlags = SWS_BILINEAR | SWS_ACCURATE_RND | SWS_BITEXACT | SWS_FULL_CHR_H_INT;
  context_ = libav().sws_getContext(
      kind.width, kind.height, static_cast<AVPixelFormat>(kind.format), kind.width, kind.height,
      AV_PIX_FMT_RGB24, kFlags, nullptr, nullptr, nullptr);
  require(context_ != nullptr, frame);
  // Where a file does not say how its colours are coded, they are as on television (BT.601).
  libav().sws_setColorspaceDetails(context_, libav().sws_getCoefficients(kind.colours),
                                   kind.full ? 1 : 0, libav().sws_getCoefficients(SWS_CS_DEFAULT),
                                   1, 0, 1 << 16, 1 << 16);
  libav().av_frame_unref(rgb_.get());
  rgb_->format = AV_PIX_FMT_RGB24;
  rgb_->width = kind.width;
  rgb_->height = kind.height;
  require(libav().av_frame_get_buffer(rgb_.get(), 0) >= 0,
          frame);  // with room at the ends of its rows
  kind_ = kind;
}

storage::Image ToRgb::operator()(const AVFrame& frame) {
  prepare(frame);
  require(libav().sws_scale(context_, frame.data, frame.linesize, 0, frame.height, rgb_->data,
                            rgb_->linesize) == frame.height,
          frame);
  storage::Image out = storage::make_image(frame.width, frame.height, 3);
  const size_t row = 3 * static_cast<size_t>(frame.width);
  for (int y = 0; y < frame.height; ++y) {
    std::memcpy(out.pixels.data() + static_cast<size_t>(y) * row,
                rgb_->data[0] + static_cast<ptrdiff_t>(y) * rgb_->linesize[0], row);
  }
  return out;
}

}  // namespace adassl::video
