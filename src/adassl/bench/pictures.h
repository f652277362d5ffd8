#pragma once

#include <cstdint>
#include <filesystem>

#include "adassl/storage/png.h"

/// Pictures for benchmarks of data.
namespace adassl::bench {

/// Noise at several scales, as photographs have it: each octave is half as strong as the coarser
/// one.
storage::Image scene(int64_t width, int64_t height, uint32_t number);

/// A folder that is gone when the measurement is over.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  std::filesystem::path path;
};

}  // namespace adassl::bench
