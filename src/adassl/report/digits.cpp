#include "adassl/report/digits.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace adassl::report {
namespace {

constexpr int64_t kWide = 3;
constexpr int64_t kHigh = 5;
constexpr uint8_t kInk = 40;
constexpr std::array<std::string_view, 10> kDigits = {  // row after row
    "####.##.##.####", ".#.##..#..#.###", "###..#####..###", "###..####..####", "#.##.####..#..#",
    "####..###..####", "####..####.####", "###..#..#..#..#", "####.#####.####", "####.####..####"};

}  // namespace

void draw_number(Image& image, int64_t left, int64_t top, int64_t zoom, int64_t number) {
  for (const char digit : std::to_string(std::max<int64_t>(0, number))) {
    const std::string_view shape = kDigits[static_cast<size_t>(digit - '0')];
    for (int64_t y = 0; y < kHigh * zoom; ++y) {
      for (int64_t x = 0; x < kWide * zoom; ++x) {
        if (shape[static_cast<size_t>(y / zoom * kWide + x / zoom)] != '#') continue;
        if (left + x >= image.width || top + y >= image.height) continue;
        const int64_t at = ((top + y) * image.width + left + x) * image.channels;
        std::fill_n(image.pixels.begin() + at, image.channels, kInk);
      }
    }
    left += (kWide + 1) * zoom;
  }
}

}  // namespace adassl::report
