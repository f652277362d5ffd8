#include "adassl/storage/npz.h"

#include <algorithm>

#include <zlib.h>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/storage/safetensors_header.h"

namespace adassl::storage {
namespace {

constexpr std::string_view kEndMark("PK\x05\x06", 4);
constexpr std::string_view kEntryMark("PK\x01\x02", 4);
constexpr std::string_view kLocalMark("PK\x03\x04", 4);
constexpr size_t kEndSize = 22, kEntrySize = 46, kLocalSize = 30;
constexpr uint64_t kLongestComment = 65'535;
constexpr uint64_t kLargestDirectory = 16 << 20;
constexpr uint64_t kBestRatio = 1032;  // deflate's maximum: 258 bytes for 2 bits
constexpr uint64_t kZip64 = 0xffffffff;

uint64_t number_at(std::string_view bytes, size_t offset, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[offset + i])) << (8 * i);
  }
  return value;
}

std::string read_text(const InputFile& file, uint64_t offset, uint64_t size) {
  std::string out(size, '\0');
  file.read_at(offset, std::as_writable_bytes(std::span(out)));
  return out;
}

/// Decompresses exactly out.size() bytes; false if the data is damaged or has another length.
bool inflate_all(std::span<const std::byte> in, std::span<std::byte> out) {
  z_stream stream{};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  constexpr size_t kStep = size_t{1} << 30;
  size_t taken = 0, made = 0;
  int code = Z_OK;
  std::byte surplus{};  // room for one byte too many, which zlib needs to reach the end of the data
  while (code == Z_OK) {
    if (stream.avail_in == 0 && taken < in.size()) {
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data() + taken));
      stream.avail_in = static_cast<uInt>(std::min(kStep, in.size() - taken));
      taken += stream.avail_in;
    }
    const bool full = made == out.size();
    const size_t room = full ? 1 : std::min(kStep, out.size() - made);
    stream.next_out = reinterpret_cast<Bytef*>(full ? &surplus : out.data() + made);
    stream.avail_out = static_cast<uInt>(room);
    code = ::inflate(&stream, Z_NO_FLUSH);
    const size_t fresh = room - stream.avail_out;
    if (full && fresh > 0) code = Z_DATA_ERROR;
    if (!full) made += fresh;
  }
  const bool whole =
      code == Z_STREAM_END && made == out.size() && taken == in.size() && stream.avail_in == 0;
  ::inflateEnd(&stream);
  return whole;
}

uint32_t crc_of(std::span<const std::byte> bytes) {
  return static_cast<uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

NpzFile::NpzFile(const std::filesystem::path& path) : name_(path.string()), file_(path) {
  read_directory();
}

void NpzFile::read_directory() {
  const uint64_t tail_size = std::min<uint64_t>(file_.size(), kEndSize + kLongestComment);
  const std::string tail = read_text(file_, file_.size() - tail_size, tail_size);
  const size_t at = tail.rfind(kEndMark);
  ADASSL_CHECK(at != std::string::npos && tail.size() - at >= kEndSize, "[", name_,
               "] expected an .npz file, got something else or a truncated one");
  const uint64_t end = file_.size() - tail_size + at;
  const uint64_t count = number_at(tail, at + 10, 2);
  const uint64_t size = number_at(tail, at + 12, 4);
  const uint64_t offset = number_at(tail, at + 16, 4);
  ADASSL_CHECK(size != kZip64 && offset != kZip64 && count != 0xffff, "[", name_,
               "] expected an .npz file below 4 GiB, got ZIP64; save the array as .npy instead");
  ADASSL_CHECK(number_at(tail, at + 4, 4) == 0 && size <= kLargestDirectory && offset <= end &&
                   size <= end - offset,
               "[", name_, "] damaged .npz file: its directory lies outside of it");
  const std::string directory = read_text(file_, offset, size);
  std::string_view rest = directory;
  for (uint64_t i = 0; i < count; ++i) {
    const bool fits = rest.size() >= kEntrySize && rest.starts_with(kEntryMark);
    const size_t name_size = fits ? number_at(rest, 28, 2) : 0;
    const size_t record =
        fits ? kEntrySize + name_size + number_at(rest, 30, 2) + number_at(rest, 32, 2) : 0;
    ADASSL_CHECK(fits && record <= rest.size(), "[", name_, "] damaged .npz file: expected ", count,
                 " entries, got ", i);
    add_entry(rest.substr(0, record), name_size);
    rest.remove_prefix(record);
  }
}

void NpzFile::add_entry(std::string_view record, size_t name_size) {
  const std::string_view name = record.substr(kEntrySize, name_size);
  const std::string shown = printable(name);
  ADASSL_CHECK(name.ends_with(".npy"), "[", name_, "] expected entries called NAME.npy, got '",
               shown, "'");
  const uint64_t flags = number_at(record, 8, 2);
  const uint64_t method = number_at(record, 10, 2);
  ADASSL_CHECK((flags & 1) == 0 && (method == 0 || method == 8), "[", name_, "] '", shown,
               "': expected an entry that is stored or deflated, got ",
               (flags & 1) != 0 ? "an encrypted one" : join("method ", method));
  const Entry entry{.header = number_at(record, 42, 4),
                    .compressed = number_at(record, 20, 4),
                    .size = number_at(record, 24, 4),
                    .crc = static_cast<uint32_t>(number_at(record, 16, 4)),
                    .deflated = method == 8};
  ADASSL_CHECK(entry.compressed != kZip64 && entry.size != kZip64 && entry.header != kZip64, "[",
               name_, "] '", shown,
               "': expected an array below 4 GiB, got a larger one; save it as .npy instead");
  ADASSL_CHECK(entry.compressed <= file_.size() && entry.header <= file_.size(), "[", name_, "] '",
               shown, "': damaged .npz file: the entry lies outside of it");
  ADASSL_CHECK(
      entry.deflated ? entry.size <= entry.compressed * kBestRatio : entry.size == entry.compressed,
      "[", name_, "] '", shown, "': expected a size that ", entry.compressed,
      " compressed bytes can have, got ", entry.size);
  const bool fresh = entries_.emplace(name.substr(0, name.size() - 4), entry).second;
  ADASSL_CHECK(fresh, "[", name_, "] expected arrays of different names, got '", shown, "' twice");
}

std::vector<std::string> NpzFile::names() const {
  std::vector<std::string> out;
  for (const auto& [name, entry] : entries_) out.push_back(name);
  return out;
}

uint64_t NpzFile::data_begin(const Entry& entry) const {
  const bool fits = entry.header + kLocalSize <= file_.size();
  const std::string local = fits ? read_text(file_, entry.header, kLocalSize) : std::string();
  ADASSL_CHECK(fits && local.starts_with(kLocalMark), "[", name_,
               "] damaged .npz file: an entry does not begin where the directory says");
  const uint64_t begin =
      entry.header + kLocalSize + number_at(local, 26, 2) + number_at(local, 28, 2);
  ADASSL_CHECK(begin <= file_.size() && entry.compressed <= file_.size() - begin, "[", name_,
               "] damaged .npz file: an entry ends outside of it");
  return begin;
}

NpyArray NpzFile::read(const std::string& name) const {
  const auto found = entries_.find(name);
  ADASSL_CHECK(found != entries_.end(), "[", name_, "] expected an array '", name, "', got ",
               printable(text::list(names())), text::did_you_mean(name, names()));
  const Entry& entry = found->second;
  const std::string where = join(name_, ":", printable(name));
  const uint64_t needed = entry.size + (entry.deflated ? entry.compressed : 0);
  ADASSL_CHECK(needed <= host::available_memory(), "[", where,
               "] does not fit in memory: ", text::bytes(static_cast<double>(needed)));
  const uint64_t begin = data_begin(entry);
  std::vector<std::byte> bytes(entry.size);
  if (entry.deflated) {
    std::vector<std::byte> packed(entry.compressed);
    file_.read_at(begin, packed);
    ADASSL_CHECK(inflate_all(packed, bytes), "[", where, "] expected ", entry.size,
                 " bytes of deflated data, got damaged ones or another number");
  } else {
    file_.read_at(begin, bytes);
  }
  ADASSL_CHECK(crc_of(bytes) == entry.crc, "[", where, "] damaged: its checksum differs");
  return parse_npy(std::move(bytes), where);
}

}  // namespace adassl::storage
