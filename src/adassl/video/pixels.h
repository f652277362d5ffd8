#pragma once

#include <memory>
#include <vector>

#include "adassl/storage/png.h"
#include "adassl/video/container.h"

struct SwsContext;

namespace adassl::video {

/// The checksum of a frame as the decoder made it.
uint64_t sum_of(const AVFrame& frame);

/// Turns what decoders make, mostly planes of light and colour, into RGB. The flags ask swscale for
/// exact arithmetic, so that all processors give the same bytes.
class ToRgb {
 public:
  ToRgb();
  ~ToRgb();
  ToRgb(const ToRgb&) = delete;
  ToRgb& operator=(const ToRgb&) = delete;

  /// The frame as RGB, [height, width, 3]. Transparency is ignored.
  storage::Image operator()(const AVFrame& frame);

 private:
  /// What the frames were like that context_ was made for.
  struct Kind {
    int width = 0, height = 0, format = 0, colours = 0;
    bool full = false;  // values use all 8 bits, and not only 16 to 235
    bool operator==(const Kind&) const = default;
  };
  static Kind kind_of(const AVFrame& frame);
  void prepare(const AVFrame& frame);

  Kind kind_;
  SwsContext* context_ = nullptr;
  std::unique_ptr<AVFrame, ReleaseWith<&Libav::av_frame_free>> rgb_;
};

/// Error unless frames of this kind can be turned into RGB.
void require_convertible(const AVFrame& frame);

}  // namespace adassl::video
