#pragma once

#include <exception>
#include <filesystem>
#include <memory>

#include "adassl/storage/file.h"
#include "adassl/video/libav.h"
#include "adassl/video/video.h"

namespace adassl::video {

/// For std::unique_ptr: libav releases what a pointer points to through the address of the pointer.
template <auto Release>
struct ReleaseWith {
  template <class T>
  void operator()(T* owned) const {
    (libav().*Release)(&owned);
  }
};

struct ReleaseInput {
  void operator()(AVIOContext* input) const;
};

/// A file that libav takes apart into the packets of its video. Libav reads through this class and
/// opens nothing itself: a file cannot make it read other files, or the network.
class Container {
 public:
  Container(const std::filesystem::path& path, const Limits& limits);
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  /// The next packet of the video. Returns 0 or an error of libav: AVERROR_EOF at the end.
  int read(AVPacket& packet);
  /// Goes to a packet at or before this time, in the unit of the stream. Error if that fails.
  void seek(int64_t time);

  const AVStream& stream() const { return *stream_; }
  /// When the video ends as the header says, in seconds; 0 if it does not say.
  double stated_end() const;
  /// The share of the file that has been read.
  double share() const;

 private:
  struct Source {
    storage::InputFile file;
    uint64_t offset = 0;              // of what libav reads next
    std::exception_ptr failure = {};  // why the file could not be read
  };
  static int read_some(void* source, uint8_t* out, int size);
  static int64_t go_to(void* source, int64_t offset, int whence);
  void require_read() const;
  void open(const Limits& limits);
  void choose_stream();

  Source source_;
  std::unique_ptr<AVIOContext, ReleaseInput> input_;
  std::unique_ptr<AVFormatContext, ReleaseWith<&Libav::avformat_close_input>> context_;
  AVStream* stream_ = nullptr;  // of context_
};

/// Error unless frames of this size may be decoded.
void require_within(int64_t width, int64_t height, const Limits& limits);
/// The pixels of a frame inside a decoder, which works with whole blocks.
inline int64_t padded(int64_t pixels) { return 2 * pixels + (1 << 16); }

/// Libav's name of an error.
std::string reason_of(int code);

/// The decoders that may be used, as libav takes them: libav has hundreds.
extern const char* const kDecoders;

}  // namespace adassl::video
