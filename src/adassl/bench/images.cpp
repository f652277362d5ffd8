#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "adassl/bench/lines.h"
#include "adassl/bench/loading.h"
#include "adassl/bench/pictures.h"
#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/random.h"
#include "adassl/core/text.h"
#include "adassl/data/views/augmented.h"
#include "adassl/images/cache.h"
#include "adassl/images/decode.h"
#include "adassl/images/encode.h"
#include "adassl/kernels/simd.h"
#include "adassl/storage/file.h"
#include "adassl/storage/json_lines.h"

namespace adassl::bench {
namespace {

namespace fs = std::filesystem;

struct Size {
  const char* name;
  int64_t width;
  int64_t height;
  int count;  // of different images
};

constexpr Size kSizes[] = {
    {"178 x 218", 178, 218, 16}, {"512 x 480", 512, 480, 8}, {"4000 x 3000", 4000, 3000, 2}};
constexpr int64_t kWorkingSize = 256;  // of the cache

/// One size of image. All times are medians for one image, in processor time of one core.
struct ImageRow {
  std::string name;
  int64_t width = 0;
  int64_t height = 0;
  double file_bytes = 0;  // mean
  double decode_ms = 0;   // of a JPEG file
  double views_ms = 0;    // two strong views of 64 pixels
  double cached_ms = 0;   // one such view of an image from the cache, at most 256 pixels high
  std::optional<double> torchvision_decode_ms = {};
  std::optional<double> torchvision_views_ms = {};

  double images_per_second() const { return 1e3 / (decode_ms + views_ms); }
  std::optional<double> ratio() const {
    if (!torchvision_decode_ms || !torchvision_views_ms) return {};
    return (*torchvision_decode_ms + *torchvision_views_ms) / (decode_ms + views_ms);
  }
};

/// The processor time of this thread: other programs on a busy machine hardly change it.
double thread_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// The median time of `work`, in milliseconds for one of `count`.
double median_ms(int repeats, int count, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    const double start = thread_ms();
    work();
    times.push_back((thread_ms() - start) / count);
  }
  std::ranges::nth_element(times, times.begin() + static_cast<ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

/// What bench/data_torchvision.py prints for the files of a folder; nothing where it cannot run.
std::optional<ordered_json> torchvision_times(const fs::path& folder, int repeats) {
  if (!fs::exists(ADASSL_TORCHVISION_SCRIPT)) return {};
  const std::string command = fmt::format("/usr/bin/python3 '{}' '{}' {} 2>/dev/null",
                                          ADASSL_TORCHVISION_SCRIPT, folder.string(), repeats);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                             &::pclose);
  if (!pipe) return {};
  std::string text;
  char buffer[256];
  while (std::fgets(buffer, sizeof buffer, pipe.get()) != nullptr) text += buffer;
  const auto out = ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!out.is_object()) return {};
  return out;
}

ImageRow measure(const Size& size, int repeats) {
  const Folder folder;
  std::vector<std::string> files;
  std::vector<storage::Image> decoded;
  ImageRow row{size.name, size.width, size.height};
  for (int i = 0; i < size.count; ++i) {
    files.push_back(
        images::encode_jpeg(scene(size.width, size.height, static_cast<uint32_t>(i)), 85));
    row.file_bytes += static_cast<double>(files.back().size()) / size.count;
    storage::write_atomically(folder.path / fmt::format("{}.jpg", i), files.back());
    decoded.push_back(images::decode(std::as_bytes(std::span(files.back()))));
  }
  const data::StrongView view({});
  std::vector<uint8_t> out(static_cast<size_t>(3 * view.size() * view.size()));
  uint32_t number = 0;
  const random::Stream stream(1, "bench");
  const auto see = [&](const images::Pixels& image) {
    random::Sequence draws = stream.at(number++);
    view.see(image, draws, out);
  };
  row.decode_ms = median_ms(repeats, size.count, [&] {
    for (const std::string& file : files) images::decode(std::as_bytes(std::span(file)));
  });
  // Views differ in what they draw: many of them make one measurement.
  const int rounds = std::max(1, 64 / size.count);
  row.views_ms = median_ms(repeats, size.count * rounds, [&] {
    for (int i = 0; i < rounds; ++i) {
      for (const storage::Image& image : decoded) {
        see(image);
        see(image);
      }
    }
  });
  const images::CacheKey key{size.count, kWorkingSize, size.name};
  const fs::path path = folder.path / "images.cache";
  images::build_cache(path, key, [&](int64_t i) { return decoded[static_cast<size_t>(i)]; });
  const images::Cache cache(path, key);
  row.cached_ms = median_ms(repeats, size.count * rounds, [&] {
    for (int i = 0; i < rounds * size.count; ++i) see(cache.image(i % size.count));
  });
  fs::remove(path);
  if (const auto theirs = torchvision_times(folder.path, repeats)) {
    row.torchvision_decode_ms = theirs->value("decode_ms", 0.0);
    row.torchvision_views_ms = theirs->value("views_ms", 0.0);
  }
  return row;
}

ordered_json as_json(const ImageRow& row) {
  return {{"name", row.name},
          {"width", row.width},
          {"height", row.height},
          {"file_bytes", row.file_bytes},
          {"decode_ms", row.decode_ms},
          {"two_views_ms", row.views_ms},
          {"views_over_decoding", row.views_ms / row.decode_ms},
          {"images_per_second", row.images_per_second()},
          {"cached_views_per_second", 1e3 / row.cached_ms},
          {"torchvision_decode_ms", or_null(row.torchvision_decode_ms)},
          {"torchvision_two_views_ms", or_null(row.torchvision_views_ms)},
          {"ratio", or_null(row.ratio())}};
}

void print(const ImageRow& row) {
  std::cout << fmt::format(
                   "{:<12}  {:>9.0f}  {:>9.3f}  {:>12.3f}  {:>10.0f} %  {:>8.0f}  {:>14.0f}"
                   "  {:>11}  {:>11}  {:>6}\n",
                   row.name, row.file_bytes, row.decode_ms, row.views_ms,
                   100 * row.views_ms / row.decode_ms, row.images_per_second(), 1e3 / row.cached_ms,
                   cell("{:.3f}", row.torchvision_decode_ms),
                   cell("{:.3f}", row.torchvision_views_ms), cell("{:.1f}", row.ratio()))
            << std::flush;
}

void print_header(int repeats) {
  std::cout << fmt::format(
      "{}, {}, processor time of one core, medians of {}; JPEG files, two strong views of 64 "
      "pixels of each image\n"
      "t.: torchvision with Pillow on the same files; ratio: its time over ours\n\n"
      "{:<12}  {:>9}  {:>9}  {:>12}  {:>12}  {:>8}  {:>14}  {:>11}  {:>11}  {:>6}\n",
      host::cpu_name(), kernels::instruction_set(), repeats, "size", "bytes", "decode ms",
      "two views ms", "of decoding", "images/s", "cached views/s", "t. decode ms", "t. views ms",
      "ratio");
}

}  // namespace

void run_data_bench(const Options& options) {
  std::vector<Size> chosen;
  for (const Size& size : kSizes) {
    if (std::string_view(size.name).find(options.only) != std::string_view::npos) {
      chosen.push_back(size);
    }
  }
  const bool loads = kLoaderName.find(options.only) != std::string_view::npos;
  ADASSL_CHECK(!chosen.empty() || loads,
               "[bench] expected --only to be part of a row's name, got '", options.only,
               "'; 'adassl bench data' shows all");
  Lines lines(options, {{"simd", kernels::instruction_set()}});
  if (!options.json && !chosen.empty()) print_header(options.repeats);
  for (const Size& size : chosen) {
    const ImageRow row = measure(size, options.repeats);
    if (!options.json) print(row);
    lines.add(as_json(row), {{"threads", 1}, {"repeats", options.repeats}});
  }
  if (!loads) return;
  const LoaderRow row = measure_loader(options.repeats);
  if (!options.json) print(row);
  lines.add(as_json(row), {{"threads", 1}, {"repeats", options.repeats}});
}

}  // namespace adassl::bench
