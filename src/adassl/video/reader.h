#pragma once

#include <filesystem>
#include <list>
#include <memory>
#include <mutex>

#include "adassl/storage/png.h"
#include "adassl/video/video.h"

namespace adassl::video {

/// An open video, from which one thread at a time reads frames. The index has to outlive it.
class Reader {
 public:
  Reader(std::filesystem::path path, const Index& index);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  /// Frame n as RGB, [height, width, 3], turned as the file says. Error if the file is no longer
  /// the one that the index was made from.
  storage::Image frame(int64_t n);
  /// The frame that the decoder makes next, which costs least.
  int64_t next() const { return next_; }
  /// Whether frame n costs less than searching for a key frame.
  bool is_close(int64_t n) const;
  const Index& index() const { return *index_; }

 private:
  struct Parts;  // of libav, which users of this header need not know
  int64_t keys_until(int64_t n) const;
  bool reach(int64_t n);
  bool jump(const KeyFrame& key);
  void restart();

  std::filesystem::path path_;
  const Index* index_;
  std::unique_ptr<Parts> parts_;
  int64_t next_ = -1;  // -1: the decoder is nowhere
};

/// Readers that several threads share. Each thread that reads gets a reader of its own, if possible
/// one that is already open just before the wanted frame. The readers that were used last stay
/// open.
class Readers {
 public:
  /// Frame n of the video.
  storage::Image frame(const std::filesystem::path& path, const Index& index, int64_t n);

 private:
  Reader take(const std::filesystem::path& path, const Index& index, int64_t n);
  void put_back(Reader reader);

  std::mutex mutex_;
  std::list<Reader> idle_;  // the latest first
};

}  // namespace adassl::video
