#include "adassl/report/sample_rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "adassl/report/html.h"

namespace adassl::report {
namespace {

uint8_t byte_of(const Array& array, size_t i) {
  if (!array.bytes.empty()) return array.bytes[i];
  return static_cast<uint8_t>(std::lround(std::clamp(array.values[i], 0.0F, 1.0F) * 255));
}

/// A curve through the numbers of each channel, without axes. All have one scale.
std::string curves(const std::vector<float>& values, int64_t channels) {
  constexpr double kWidth = 144, kHeight = 72;
  const auto [low, high] = std::ranges::minmax(values);
  const double range = high > low ? static_cast<double>(high) - low : 1;
  const auto many = static_cast<size_t>(channels);
  const size_t steps = values.size() / many;
  const double step = kWidth / static_cast<double>(std::max<size_t>(steps - 1, 1));
  std::string lines;
  for (size_t c = 0; c < many; ++c) {
    std::string points;
    for (size_t i = 0; i < steps; ++i) {
      const double value = values[i * many + c];
      points += fmt::format("{},{} ", coordinate(step * static_cast<double>(i)),
                            coordinate(kHeight - 4 - (kHeight - 8) * (value - low) / range));
    }
    lines +=
        fmt::format(R"(<polyline class="line" points="{}" style="stroke:{};stroke-width:1.5"/>)",
                    points, colour_of(static_cast<int64_t>(c)));
  }
  return fmt::format(R"(<svg viewBox="0 0 {0} {1}" width="{0}" height="{1}">{2}</svg>)", kWidth,
                     kHeight, lines);
}

std::string shown(const SampleCell& cell) {
  if (cell.image.width > 0) {
    return fmt::format(R"(<img alt="{}" src="{}">)", escaped(cell.caption),
                       png_link(storage::encode_png(cell.image)));
  }
  return cell.line.empty() ? "" : curves(cell.line, cell.channels);
}

}  // namespace

storage::Image picture_of(const Array& observations, int64_t row) {
  const std::vector<int64_t>& shape = observations.shape;  // [N, C, H, W] or [N, C, T, H, W]
  if (shape.size() != 4 && shape.size() != 5) return {};
  const int64_t channels = shape[1];
  const int64_t frames = shape.size() == 5 ? shape[2] : 1;
  const int64_t height = shape[shape.size() - 2];
  const int64_t width = shape.back();
  if (channels != 1 && channels != 3) return {};
  storage::Image out = storage::make_image(frames * width, height, channels);
  const int64_t first = row * observations.columns();
  size_t to = 0;
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < frames * width; ++x) {
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t from = ((c * frames + x / width) * height + y) * width + x % width;
        out.pixels[to++] = byte_of(observations, static_cast<size_t>(first + from));
      }
    }
  }
  return out;
}

SampleCell cell_of(const Array& observations, int64_t row, std::string caption, std::string note) {
  SampleCell out{std::move(caption), std::move(note), picture_of(observations, row)};
  if (out.image.width > 0 || observations.values.empty()) return out;
  const auto width = observations.columns();
  const auto first = observations.values.begin() + row * width;
  out.line.assign(first, first + width);
  constexpr int64_t kMostChannels = 16;  // more would be a tangle
  const bool is_window = observations.shape.size() == 3 && observations.shape[2] <= kMostChannels;
  if (is_window) out.channels = observations.shape[2];
  return out;
}

std::string sample_rows(const std::vector<SampleRow>& rows) {
  std::string out;
  for (const SampleRow& row : rows) {
    if (!row.title.empty()) out += fmt::format("<h3>{}</h3>\n", escaped(row.title));
    out += "<div class=\"samples\">";
    for (const SampleCell& cell : row.cells) {
      out += fmt::format("<figure{}>{}<figcaption>{}<small>{}</small></figcaption></figure>",
                         cell.marked ? " class=\"marked\"" : "", shown(cell), escaped(cell.caption),
                         typeset(cell.note));
    }
    out += "</div>\n";
  }
  return out;
}

}  // namespace adassl::report
