#pragma once

#include <cstdint>
#include <filesystem>

namespace adassl::data {

/// The content of a folder after place_mnist.
struct PlacedMnist {
  int64_t train = 0;      // digits
  int64_t test = 0;       // digits
  int written = 0;        // files that were not there before
  bool original = false;  // all four are the files of the MNIST database, by their SHA-256
};

/// Whether the folder already holds the four original files.
bool holds_original_mnist(const std::filesystem::path& folder);

/// Copies the four files from one folder to the other, unpacked, under their original names. All
/// are read and checked before the first is written, and none appears under its name before all are
/// on the disk. Existing files with the same content are kept; files with other content are an
/// Error.
PlacedMnist place_mnist(const std::filesystem::path& from, const std::filesystem::path& to,
                        bool must_be_original);

}  // namespace adassl::data
