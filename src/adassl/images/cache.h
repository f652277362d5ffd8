#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "adassl/images/pixels.h"
#include "adassl/storage/file.h"

/// Images that were decoded once and stored at a working size, in one file that is mapped into
/// memory. Views are cut from there, and nothing is decoded while a model is trained.
///
///     header     magic, version, working size, number of images, key, size of the file, checksums
///     index      for each image: offset, width, height, checksum
///     pixels     [height, width, 3] of each image
namespace adassl::images {

/// What a cache was made from. A cache with another key is refused.
struct CacheKey {
  int64_t count = 0;     // of images
  int64_t shorter = 0;   // the working size: the shorter side of larger images, in pixels
  std::string contents;  // whatever identifies the list of files, such as a checksum of it
};

/// The image as a cache stores it: its shorter side is resized to `shorter` if it is longer.
storage::Image at_working_size(storage::Image image, int64_t shorter);

/// Returns image i; several threads call it at once. An image without pixels is stored as absent.
using MakeImage = std::function<storage::Image(int64_t number)>;
/// Is told how many images are stored.
using CacheProgress = std::function<void(int64_t done)>;

/// Writes the cache. Images are gathered in `path`.part, which is renamed when it is complete. If
/// the process dies, the next call continues after the last image that was stored in full. While
/// another process is building the same file, waits for it, and says so on stderr. Does nothing if
/// `path` exists then.
void build_cache(const std::filesystem::path& path, const CacheKey& key, const MakeImage& make,
                 const CacheProgress& progress = {});

/// A cache that is complete. Its header and index are checked when it is opened, and an image each
/// time it is used. The file must not be changed as long as it is open. That it became shorter is
/// noticed before each image; if that happens while an image is being read, the system ends the
/// program with SIGBUS.
class Cache {
 public:
  /// Error when the file is damaged, or belongs to another key.
  Cache(const std::filesystem::path& path, const CacheKey& key);
  /// The cache in this file, whatever it was made from. Error when the file is damaged.
  explicit Cache(const std::filesystem::path& path);

  int64_t count() const { return count_; }
  bool has(int64_t number) const;
  /// Width and height; 0 for an absent image.
  std::pair<int64_t, int64_t> extent(int64_t number) const;
  /// A checksum of the pixels.
  uint64_t sum(int64_t number) const;
  /// Error when the image is absent or its checksum differs.
  Pixels image(int64_t number) const;

 private:
  void require_whole() const;
  /// The mapped file, once the number and the length of the file were checked.
  const std::byte* index_of(int64_t number) const;

  std::string name_;
  storage::FileDescriptor file_;
  uint64_t bytes_ = 0;
  std::shared_ptr<const std::byte> map_;
  int64_t count_ = 0;
};

}  // namespace adassl::images
