#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace adassl::bench {

struct DataBench {
  int repeats = 11;
  bool json = false;
  std::string only;     // sizes whose name contains this
  std::string records;  // a file to append to, or nothing
};

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

/// `adassl bench data`: decoding and two strong views at three sizes, beside torchvision with
/// Pillow on the same files where it is installed.
void run_data_bench(const DataBench& arguments);

}  // namespace adassl::bench
