#include "adassl/data/mnist.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "adassl/core/error.h"
#include "adassl/kernels/threads.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFrom = 28;
constexpr size_t kTo = Digits::kSide;
constexpr uint8_t kLargestLabel = 9;

/// The input pixels of one output pixel along one axis, and their weights.
struct Taps {
  size_t first = 0;
  std::vector<float> weights;
};

std::vector<Taps> taps() {
  constexpr double kScale = static_cast<double>(kFrom) / kTo;
  std::vector<Taps> out(kTo);
  for (size_t i = 0; i < kTo; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * kScale;
    std::vector<double> weights;
    double sum = 0;
    for (size_t j = 0; j < kFrom; ++j) {
      const double weight = 1 - std::abs(static_cast<double>(j) + 0.5 - centre) / kScale;
      if (weight <= 0) continue;
      if (weights.empty()) out[i].first = j;
      weights.push_back(weight);
      sum += weight;
    }
    for (const double weight : weights) {
      out[i].weights.push_back(static_cast<float>(weight / sum));
    }
  }
  return out;
}

fs::path require_file(const fs::path& folder, std::string_view name) {
  fs::path path = find_mnist_file(folder, name);
  ADASSL_CHECK(!path.empty(), "[", folder.string(), "] expected the MNIST files, got no ", name,
               " (nor ", name, ".gz) in ", fs::absolute(folder).lexically_normal().string(),
               "; 'adassl data mnist --out FOLDER' puts them into one");
  return path;
}

/// Reads the images and labels of one set, training or test.
void read_set(const fs::path& folder, size_t first, std::array<storage::IdxArray, 4>& out) {
  const fs::path images_path = require_file(folder, kMnistFiles[first]);
  const fs::path labels_path = require_file(folder, kMnistFiles[first + 1]);
  out[first] = storage::read_idx(images_path, 3);
  out[first + 1] = storage::read_idx(labels_path, 1);
  const auto& images = out[first].shape;
  const auto& labels = out[first + 1];
  ADASSL_CHECK(images[1] == kFrom && images[2] == kFrom, "[", images_path.string(),
               "] expected images of 28x28, got ", images[1], "x", images[2]);
  ADASSL_CHECK(images[0] > 0, "[", images_path.string(), "] expected at least one image, got none");
  ADASSL_CHECK(labels.shape[0] == images[0], "[", labels_path.string(), "] expected ", images[0],
               " labels, one for each image, got ", labels.shape[0]);
  const uint8_t largest = *std::max_element(labels.values.begin(), labels.values.end());
  ADASSL_CHECK(largest <= kLargestLabel, "[", labels_path.string(),
               "] expected labels from 0 to 9, got ", int{largest});
}

Digits digits(const storage::IdxArray& images, const storage::IdxArray& labels) {
  constexpr int64_t kBlock = 256;  // digits per parallel task
  const int64_t count = images.shape[0];
  Digits out;
  out.images.resize(static_cast<size_t>(count) * kTo * kTo);
  out.labels.assign(labels.values.begin(), labels.values.end());
  kernels::parallel_for((count + kBlock - 1) / kBlock, [&](int64_t block) {
    for (int64_t i = block * kBlock; i < std::min(count, (block + 1) * kBlock); ++i) {
      const auto at = static_cast<size_t>(i);
      shrink_digit(std::span(images.values).subspan(at * kFrom * kFrom, kFrom * kFrom),
                   std::span(out.images).subspan(at * kTo * kTo, kTo * kTo));
    }
  });
  return out;
}

}  // namespace

fs::path find_mnist_file(const fs::path& folder, std::string_view name) {
  std::string dotted(name);
  dotted[dotted.rfind("-idx")] = '.';
  for (const std::string& stem : {std::string(name), dotted}) {
    for (const char* end : {"", ".gz"}) {
      std::error_code ignored;
      if (fs::exists(folder / (stem + end), ignored)) return folder / (stem + end);
    }
  }
  return {};
}

std::array<storage::IdxArray, 4> read_mnist_files(const fs::path& folder) {
  std::array<storage::IdxArray, 4> out;
  read_set(folder, 0, out);
  read_set(folder, 2, out);
  return out;
}

Mnist read_mnist(const fs::path& folder) {
  const auto files = read_mnist_files(folder);
  return {digits(files[0], files[1]), digits(files[2], files[3])};
}

void shrink_digit(std::span<const uint8_t> in, std::span<float> out) {
  static const std::vector<Taps> kTaps = taps();
  std::array<float, kFrom * kTo> narrow{};  // all rows, shrunk along x only
  for (size_t y = 0; y < kFrom; ++y) {
    for (size_t x = 0; x < kTo; ++x) {
      float sum = 0;
      for (size_t j = 0; j < kTaps[x].weights.size(); ++j) {
        sum += kTaps[x].weights[j] * static_cast<float>(in[y * kFrom + kTaps[x].first + j]);
      }
      narrow[y * kTo + x] = sum;
    }
  }
  for (size_t y = 0; y < kTo; ++y) {
    for (size_t x = 0; x < kTo; ++x) {
      float sum = 0;
      for (size_t j = 0; j < kTaps[y].weights.size(); ++j) {
        sum += kTaps[y].weights[j] * narrow[(kTaps[y].first + j) * kTo + x];
      }
      out[y * kTo + x] = std::min(1.0F, sum / 255);  // weights may sum to a rounding error above 1
    }
  }
}

}  // namespace adassl::data
