#include "adassl/images/cache.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "adassl/core/error.h"
#include "adassl/images/cache_file.h"
#include "adassl/images/resize.h"
#include "adassl/storage/file.h"

namespace adassl::images {
namespace {

constexpr char kMagic[] = "adasslim";
constexpr uint32_t kVersion = 1;

/// The file in memory, read-only. Error when it is smaller than a header.
std::shared_ptr<const std::byte> map_file(const std::string& name, storage::FileDescriptor& file,
                                          uint64_t& bytes) {
  file = storage::FileDescriptor(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (!file.is_open() || ::fstat(file.number(), &facts) != 0) {
    throw ReadError(join("[", name, "] cannot be opened: ", storage::reason(errno)), errno);
  }
  ADASSL_CHECK(S_ISREG(facts.st_mode), "[", name, "] expected a file");
  bytes = static_cast<uint64_t>(facts.st_size);
  ADASSL_CHECK(bytes >= sizeof(CacheHeader), "[", name, "] expected a cache of images, got ", bytes,
               " bytes");
  void* map = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.number(), 0);
  if (map == MAP_FAILED) {
    throw ReadError(join("[", name, "] cannot be mapped: ", storage::reason(errno)), errno);
  }
  return {static_cast<const std::byte*>(map),
          [size = bytes](const std::byte* p) { ::munmap(const_cast<std::byte*>(p), size); }};
}

CacheHeader header_at(const std::byte* map) {
  CacheHeader out;
  std::memcpy(&out, map, sizeof out);
  return out;
}

CacheEntry entry_at(const std::byte* map, int64_t number) {
  CacheEntry out;
  std::memcpy(&out, map + sizeof(CacheHeader) + static_cast<size_t>(number) * sizeof out,
              sizeof out);
  return out;
}

void require_key(const std::string& name, const CacheHeader& header, const CacheKey& key) {
  const CacheHeader wanted = header_of(key);
  ADASSL_CHECK(header.count == wanted.count, "[", name, "] expected a cache of ", key.count,
               " images, got one of ", header.count);
  ADASSL_CHECK(header.shorter == wanted.shorter, "[", name,
               "] expected a cache with the working size ", key.shorter, ", got one with ",
               header.shorter);
  ADASSL_CHECK(
      header.contents == wanted.contents, "[", name,
      "] expected the cache of these files, got that of others, or of these before one of them "
      "changed; name another file, or remove this one to have it made again");
}

}  // namespace

CacheHeader header_of(const CacheKey& key) {
  CacheHeader out{};
  std::memcpy(out.magic, kMagic, sizeof out.magic);
  out.version = kVersion;
  out.shorter = static_cast<uint32_t>(key.shorter);
  out.count = static_cast<uint64_t>(key.count);
  out.contents = storage::short_sum(std::as_bytes(std::span(key.contents)));
  out.header_sum = sum_of(out);
  return out;
}

bool is_inside(const CacheEntry& entry, uint64_t count, uint64_t file_bytes) {
  constexpr uint32_t kLargestSide = 1 << 20;
  return entry.offset >= sizeof(CacheHeader) + count * sizeof(CacheEntry) &&
         entry.offset <= file_bytes && entry.width <= kLargestSide &&
         entry.height <= kLargestSide && entry.size() <= file_bytes - entry.offset &&
         (entry.width == 0) == (entry.height == 0);
}

storage::Image at_working_size(storage::Image image, int64_t shorter) {
  const int64_t side = std::min(image.width, image.height);
  if (side <= shorter) return image;
  const auto scaled = [&](int64_t extent) { return (extent * shorter + side / 2) / side; };
  return resized(image, scaled(image.width), scaled(image.height));
}

Cache::Cache(const std::filesystem::path& path, const CacheKey& key) : Cache(path) {
  require_key(name_, header_at(map_.get()), key);
}

Cache::Cache(const std::filesystem::path& path) : name_(path.string()) {
  map_ = map_file(name_, file_, bytes_);
  const uint64_t bytes = bytes_;
  const CacheHeader header = header_at(map_.get());
  ADASSL_CHECK(std::memcmp(header.magic, kMagic, sizeof header.magic) == 0 &&
                   header.version == kVersion && header.header_sum == sum_of(header),
               "[", name_, "] expected a cache of images, got another or a damaged file");
  ADASSL_CHECK(
      header.bytes == bytes && header.count <= (bytes - sizeof header) / sizeof(CacheEntry), "[",
      name_, "] expected ", header.bytes, " bytes, got ", bytes);
  const std::span<const std::byte> index(map_.get() + sizeof header,
                                         header.count * sizeof(CacheEntry));
  ADASSL_CHECK(storage::short_sum(index) == header.index_sum, "[", name_,
               "] expected a sound index, got a damaged one");
  count_ = static_cast<int64_t>(header.count);
  for (int64_t i = 0; i < count_; ++i) {
    ADASSL_CHECK(is_inside(entry_at(map_.get(), i), header.count, bytes), "[", name_,
                 "] expected all images inside the file, got image ", i, " outside");
  }
}

/// Reading a mapped page behind the end of its file would end the program.
void Cache::require_whole() const {
  struct stat facts {};
  const bool known = ::fstat(file_.number(), &facts) == 0;
  ADASSL_CHECK(known && static_cast<uint64_t>(facts.st_size) >= bytes_, "[", name_, "] expected ",
               bytes_, " bytes, got ", facts.st_size, ": it became shorter while it was in use");
}

const std::byte* Cache::index_of(int64_t number) const {
  ADASSL_CHECK(number >= 0 && number < count_, "[", name_, "] expected an image below ", count_,
               ", got ", number);
  require_whole();
  return map_.get();
}

bool Cache::has(int64_t number) const { return entry_at(index_of(number), number).width > 0; }

std::pair<int64_t, int64_t> Cache::extent(int64_t number) const {
  const CacheEntry entry = entry_at(index_of(number), number);
  return {entry.width, entry.height};
}

uint64_t Cache::sum(int64_t number) const { return entry_at(index_of(number), number).sum; }

Pixels Cache::image(int64_t number) const {
  ADASSL_CHECK(has(number), "[", name_, "] image ", number, " is absent");
  const CacheEntry entry = entry_at(map_.get(), number);
  const std::span<const std::byte> pixels(map_.get() + entry.offset, entry.size());
  ADASSL_CHECK(storage::short_sum(pixels) == entry.sum, "[", name_, "] image ", number,
               " is damaged");
  return {entry.width, entry.height,
          std::span(reinterpret_cast<const uint8_t*>(pixels.data()), pixels.size())};
}

}  // namespace adassl::images
