#include "adassl/video/reader.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "adassl/core/error.h"
#include "adassl/images/exif.h"
#include "adassl/video/pixels.h"
#include "adassl/video/stream.h"

namespace adassl::video {

struct Reader::Parts {
  explicit Parts(const std::filesystem::path& path) : stream(path, {}) {}

  Stream stream;
  ToRgb to_rgb;
  const AVFrame* frame = nullptr;  // the one that was decoded last
};

Reader::Reader(std::filesystem::path path, const Index& index)
    : path_(std::move(path)), index_(&index) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

storage::Image Reader::frame(int64_t n) {
  ADASSL_CHECK(n >= 0 && n < index_->frames(), "[", path_.string(), "] expected a frame from 0 to ",
               index_->frames() - 1, ", got ", n);
  if (!parts_) restart();
  bool found = is_close(n) && reach(n);
  // Some key frames do not suffice, because what follows them needs frames before them. Then an
  // earlier one does, or the beginning of the file.
  int64_t key = keys_until(n) - 1;
  for (int64_t back = 1; !found && key >= 0; key -= back, back *= 2) {
    found = jump(index_->keys[static_cast<size_t>(key)]) && reach(n);
  }
  if (!found) {
    restart();
    found = reach(n);
  }
  ADASSL_CHECK(found, "[", path_.string(), "] frame ", n,
               " is no longer what it was when the file was checked: did it change?");
  return images::oriented(parts_->to_rgb(*parts_->frame), parts_->stream.orientation());
}

/// The number of key frames up to frame n.
int64_t Reader::keys_until(int64_t n) const {
  return std::ranges::upper_bound(index_->keys, n, {}, &KeyFrame::frame) - index_->keys.begin();
}

/// Whether frame n is the one that was decoded last, or follows before the next key frame does.
bool Reader::is_close(int64_t n) const {
  return next_ >= 0 && n >= next_ - 1 && keys_until(n) <= keys_until(next_);
}

/// Decodes up to frame n. False if the file ends before, or if n is not what the index says; then
/// the decoder is nowhere.
bool Reader::reach(int64_t n) {
  try {
    while (next_ <= n && (parts_->frame = parts_->stream.next()) != nullptr) ++next_;
    if (next_ > n && sum_of(*parts_->frame) == index_->sums[static_cast<size_t>(n)]) return true;
  } catch (const ReadError&) {
    throw;                  // the disk fails, not the video
  } catch (const Error&) {  // a frame that follows its key frame cannot always be decoded
  }
  next_ = -1;
  return false;
}

/// Decodes this key frame. False if it is not found.
bool Reader::jump(const KeyFrame& key) {
  next_ = -1;
  try {
    parts_->stream.seek({key.position, key.time});
    do {
      parts_->frame = parts_->stream.next();
    } while (parts_->frame != nullptr && parts_->frame->pkt_pos != key.position);
  } catch (const ReadError&) {
    throw;
  } catch (const Error&) {
    return false;
  }
  if (parts_->frame == nullptr) return false;
  next_ = key.frame + 1;
  return true;
}

void Reader::restart() {
  next_ = -1;
  try {
    parts_ = std::make_unique<Parts>(path_);
  } catch (const ReadError&) {
    throw;  // it names the file
  } catch (const Error& error) {
    throw Error(join("[", path_.string(), "] was good when it was checked: ", error.what()));
  }
  next_ = 0;
}

namespace {

/// What it costs to read frame n, in frames that have to be decoded; a reader that has to search
/// for a key frame costs most.
int64_t cost(const Reader& reader, int64_t n) {
  return reader.is_close(n) ? n + 1 - reader.next() : std::numeric_limits<int64_t>::max();
}

}  // namespace

storage::Image Readers::frame(const std::filesystem::path& path, const Index& index, int64_t n) {
  Reader reader = take(path, index, n);
  storage::Image out = reader.frame(n);
  put_back(std::move(reader));
  return out;
}

Reader Readers::take(const std::filesystem::path& path, const Index& index, int64_t n) {
  const std::lock_guard lock(mutex_);
  auto best = idle_.end();
  for (auto it = idle_.begin(); it != idle_.end(); ++it) {
    if (&it->index() != &index) continue;
    // Among those that have to search, the one that was used least recently.
    if (best == idle_.end() || cost(*it, n) <= cost(*best, n)) best = it;
  }
  if (best == idle_.end()) return {path, index};
  Reader out = std::move(*best);
  idle_.erase(best);
  return out;
}

void Readers::put_back(Reader reader) {
  constexpr size_t kMost = 16;
  constexpr int64_t kPixels = int64_t{1} << 26;  // of a frame of each; decoders keep about ten
  std::list<Reader> closed;                      // outlives the lock: closing takes time
  const std::lock_guard lock(mutex_);
  idle_.push_front(std::move(reader));
  int64_t pixels = 0;
  for (const Reader& one : idle_) pixels += one.index().width * one.index().height;
  while (idle_.size() > 1 && (idle_.size() > kMost || pixels > kPixels)) {
    pixels -= idle_.back().index().width * idle_.back().index().height;
    closed.splice(closed.end(), idle_, std::prev(idle_.end()));
  }
}

}  // namespace adassl::video
