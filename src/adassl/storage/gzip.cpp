#include "adassl/storage/gzip.h"

#include <algorithm>
#include <array>
#include <new>

#include <zlib.h>

#include "adassl/core/error.h"

namespace adassl::storage {
namespace {

constexpr size_t kChunk = size_t{1} << 16;
constexpr uint64_t kBestRatio = 1032;  // deflate's maximum: 258 bytes for 2 bits
constexpr std::array<std::byte, 2> kMagic = {std::byte{0x1f}, std::byte{0x8b}};

}  // namespace

struct GzipFile::Inflater {
  Inflater() {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (::inflateInit2(&stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { ::inflateEnd(&stream); }

  z_stream stream{};
  std::array<std::byte, kChunk> input;
  bool ended = false;
};

GzipFile::GzipFile(const std::filesystem::path& path) : name_(path.string()), file_(path) {
  std::array<std::byte, 2> first{};
  if (file_.size() < first.size()) return;
  file_.read_at(0, first);
  if (first == kMagic) inflater_ = std::make_unique<Inflater>();
}

GzipFile::~GzipFile() = default;

uint64_t GzipFile::most_bytes() const {
  return inflater_ ? file_.size() * kBestRatio : file_.size();
}

size_t GzipFile::read(std::span<std::byte> out) {
  if (inflater_) return inflate(out);
  const auto count = static_cast<size_t>(std::min<uint64_t>(out.size(), file_.size() - position_));
  file_.read_at(position_, out.first(count));
  position_ += count;
  return count;
}

size_t GzipFile::inflate(std::span<std::byte> out) {
  z_stream& stream = inflater_->stream;
  size_t done = 0;
  while (done < out.size() && !inflater_->ended) {
    if (stream.avail_in == 0) {
      const auto next =
          std::span(inflater_->input).first(std::min<uint64_t>(kChunk, file_.size() - position_));
      ADASSL_CHECK(!next.empty(), "[", name_, "] expected more gzip data, got the end of the file");
      file_.read_at(position_, next);
      position_ += next.size();
      stream.next_in = reinterpret_cast<Bytef*>(next.data());
      stream.avail_in = static_cast<uInt>(next.size());
    }
    const size_t wanted = std::min(out.size() - done, size_t{1} << 30);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + done);
    stream.avail_out = static_cast<uInt>(wanted);
    const int code = ::inflate(&stream, Z_NO_FLUSH);
    done += wanted - stream.avail_out;
    ADASSL_CHECK(code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR, "[", name_,
                 "] expected gzip data, got damaged bytes");
    if (code != Z_STREAM_END) continue;
    inflater_->ended = true;
    ADASSL_CHECK(stream.avail_in == 0 && position_ == file_.size(), "[", name_,
                 "] expected nothing after the gzip data, got further bytes");
  }
  return done;
}

}  // namespace adassl::storage
