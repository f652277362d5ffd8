#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "adassl/storage/idx.h"

/// The MNIST digits, or a custom data set in the same four files.
namespace adassl::data {

/// Images and labels for training, images and labels for testing.
inline constexpr std::array<std::string_view, 4> kMnistFiles = {
    "train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte"};

/// Finds one of them in a folder under any of its usual names: with or without .gz, with a dash or
/// a dot before "idx". Returns an empty path if it is missing.
std::filesystem::path find_mnist_file(const std::filesystem::path& folder, std::string_view name);

/// The four files, in the order of kMnistFiles. Checked: images of 28 x 28, as many labels as
/// images, labels from 0 to 9. A set may have any positive number of digits.
std::array<storage::IdxArray, 4> read_mnist_files(const std::filesystem::path& folder);

/// Digits in the format of the experiments: 16 x 16 pixels with values from 0 to 1.
struct Digits {
  static constexpr int64_t kSide = 16;
  std::vector<float> images;    // [N, kSide, kSide]
  std::vector<int64_t> labels;  // [N]

  int64_t count() const { return static_cast<int64_t>(labels.size()); }
  std::span<const float> image(int64_t i) const {
    constexpr size_t kPixels = kSide * kSide;
    return std::span(images).subspan(static_cast<size_t>(i) * kPixels, kPixels);
  }
};

struct Mnist {
  Digits train;
  Digits test;
};

Mnist read_mnist(const std::filesystem::path& folder);

/// Makes `in` (28 x 28) smaller: bilinear with antialiasing. A pixel is the mean of those around
/// its centre, weighted by a triangle that is as much wider than bilinear interpolation's as the
/// image shrinks, along each axis:
///   centre_i = (i + 1/2) 28/16,   w_ij = max(0, 1 - |j + 1/2 - centre_i| / (28/16)) / sum_j w_ij
/// That is what torchvision's and Pillow's antialiased bilinear do, but without rounding to bytes.
void shrink_digit(std::span<const uint8_t> in, std::span<float> out);

}  // namespace adassl::data
