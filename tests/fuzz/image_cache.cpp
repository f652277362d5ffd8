#include <algorithm>
#include <cstring>
#include <optional>

#include "adassl/images/cache.h"
#include "adassl/images/cache_file.h"
#include "fuzz/harness.h"

namespace {

using namespace adassl;
namespace fs = std::filesystem;

constexpr const char* kContents = "a list of files";

template <class T>
T at(std::string_view bytes, size_t offset) {
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

images::CacheHeader header_in(std::string_view bytes) {
  images::CacheHeader out{};
  std::memcpy(&out, bytes.data(), std::min(bytes.size(), sizeof out));
  return out;
}

/// The bytes as a cache of `kContents` with right checksums, which no fuzzer would find.
std::string sealed(std::string bytes) {
  bytes.resize(std::max(bytes.size(), sizeof(images::CacheHeader)));
  images::CacheHeader header = header_in(bytes);
  const images::CacheHeader wanted = images::header_of({1, 1, kContents});
  std::memcpy(header.magic, wanted.magic, sizeof header.magic);
  header.version = wanted.version;
  header.contents = wanted.contents;
  header.bytes = bytes.size();
  const uint64_t room = (bytes.size() - sizeof header) / sizeof(images::CacheEntry);
  const uint64_t entries = std::min(header.count, room);
  header.index_sum = storage::short_sum(
      std::string_view(bytes).substr(sizeof header, entries * sizeof(images::CacheEntry)));
  header.header_sum = images::sum_of(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

/// Reads every image that is there. What is accepted lies inside the file.
void read_all(const fs::path& path, const std::string& bytes, const images::CacheKey& key) {
  std::optional<images::Cache> cache;
  if (!fuzz::accepted([&] { cache.emplace(path, key); })) return;
  fuzz::require(cache->count() == key.count, "a cache has the images of its key");
  for (int64_t i = 0; i < cache->count(); ++i) {
    fuzz::accepted([&] {
      if (!cache->has(i)) return;
      const images::Pixels image = cache->image(i);
      const auto entry = at<images::CacheEntry>(
          bytes, sizeof(images::CacheHeader) + static_cast<size_t>(i) * sizeof(images::CacheEntry));
      fuzz::require(image.width == entry.width && image.height == entry.height &&
                        image.bytes.size() == entry.size(),
                    "an image has the size that the index states");
      const std::string_view stored = std::string_view(bytes).substr(entry.offset, entry.size());
      fuzz::require(std::memcmp(stored.data(), image.bytes.data(), image.bytes.size()) == 0 &&
                        stored.size() == image.bytes.size(),
                    "an image is what the file holds");
    });
  }
  fuzz::require(!fuzz::accepted([&] { (void)cache->has(key.count); }), "there are no more images");
}

/// The input as what an interrupted program left behind: whatever it is, the cache gets complete.
void continue_from(const fs::path& path, std::string bytes, uint64_t count) {
  const images::CacheKey key{1 + static_cast<int64_t>((count + 3) % 4), 4, kContents};
  const images::CacheHeader header = images::header_of(key);
  if (bytes.size() >= sizeof header) std::memcpy(bytes.data(), &header, sizeof header);
  fs::path part = path;
  part += ".part";
  fs::remove(path);
  testing::put(part, bytes);
  images::build_cache(path, key, [](int64_t) { return storage::make_image(2, 1, 3); });
  fuzz::require(!fs::exists(part), "nothing is left beside a cache");
  const images::Cache cache(path, key);
  for (int64_t i = 0; i < key.count; ++i) {
    if (cache.has(i)) cache.image(i);
  }
}

}  // namespace

/// The file of decoded images: as it is, with right checksums, and as one that is not finished.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string input(fuzz::text_of(data, size));
  const images::CacheHeader header = header_in(input);
  images::CacheKey key{static_cast<int64_t>(header.count), header.shorter, kContents};
  for (const std::string& bytes : {input, sealed(input)}) {
    read_all(fuzz::file_with(bytes), bytes, key);
  }
  continue_from(fuzz::file_with(input), input, header.count);
  return 0;
}
