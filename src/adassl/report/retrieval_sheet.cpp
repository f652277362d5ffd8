#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/report/clip_panel.h"
#include "adassl/report/retrieval.h"

namespace adassl::report {
namespace {

constexpr int64_t kGap = 6;       // between panels
constexpr int64_t kWideGap = 36;  // before the panels of each model
constexpr int64_t kText = 64;     // room below each row of panels
constexpr int64_t kFrame = 6;     // thickness of the frame
constexpr double kFaded = 0.5;    // brightness of the past beside a future
constexpr std::array<uint8_t, 3> kGreen = {47, 199, 130};

/// How many clips each model shows for each query.
int64_t clips_each(const RetrievalFigure& figure) {
  return figure.columns.empty() ? 0 : figure.columns[0].found.rows() / figure.past.rows();
}

void require_shapes(const RetrievalFigure& figure) {
  const int64_t rows = figure.past.rows();
  ADASSL_CHECK(rows > 0 && figure.truth.shape == figure.past.shape,
               "[retrieval] expected as many true futures as queries, of the same shape, got ",
               figure.truth.rows(), " for ", rows);
  std::vector<int64_t> shape = figure.past.shape;
  shape[0] = rows * clips_each(figure);
  for (const RetrievalColumn& column : figure.columns) {
    ADASSL_CHECK(shape[0] > 0 && column.found.shape == shape, "[retrieval] expected ", shape[0],
                 " clips of the queries' shape, got ", column.found.rows(), " in column '",
                 column.label, "'");
    const auto count = static_cast<size_t>(rows);
    ADASSL_CHECK(column.copies.size() == static_cast<size_t>(shape[0]) &&
                     column.ranks.size() == count && column.worst_ranks.size() == count,
                 "[retrieval] expected copies for each clip and two ranks for each query, got ",
                 column.copies.size(), ", ", column.ranks.size(), " and ",
                 column.worst_ranks.size(), " in column '", column.label, "'");
  }
}

Window window_of(const RetrievalFigure& figure, const Clip& clip) {
  std::vector<const Array*> shown = {&figure.past, &figure.truth};
  for (const RetrievalColumn& column : figure.columns) shown.push_back(&column.found);
  return window_of(shown, clip);
}

bool same_pixels(const Array& a, int64_t i, const Array& b, int64_t j) {
  const auto first = a.values.begin() + i * a.columns();
  return std::equal(first, first + a.columns(), b.values.begin() + j * b.columns());
}

void draw_frame(Image& image) {
  for (int64_t y = 0; y < image.height; ++y) {
    for (int64_t x = 0; x < image.width; ++x) {
      const int64_t to_edge = std::min({x, y, image.width - 1 - x, image.height - 1 - y});
      if (to_edge >= kFrame) continue;
      std::copy(kGreen.begin(), kGreen.end(), image.pixels.begin() + (y * image.width + x) * 3);
    }
  }
}

/// The panels of one figure, all with the same window.
class Panels {
 public:
  explicit Panels(const RetrievalFigure& figure)
      : figure_(figure), clip_(require_clip(figure.past)), window_(window_of(figure, clip_)) {}
  const Window& window() const { return window_; }

  Image past(int64_t row) const {
    return panel([&](int64_t pixel) { return Light{trail(figure_.past, clip_, row, pixel), 0}; });
  }
  /// The past of a row, with one of the clips as its future.
  Image future(int64_t row, const Array& clips, int64_t i) const {
    Image out = panel([&](int64_t pixel) {
      return Light{kFaded * trail(figure_.past, clip_, row, pixel), trail(clips, clip_, i, pixel)};
    });
    if (same_pixels(clips, i, figure_.truth, row)) draw_frame(out);
    return out;
  }

 private:
  Image panel(const std::function<Light(int64_t)>& light) const {
    Image out = make_paper(window_.across(), window_.down());
    draw_panel(out, 0, 0, window_, clip_, light);
    return out;
  }

  const RetrievalFigure& figure_;
  Clip clip_;
  Window window_;
};

std::string about_found(const RetrievalFigure& figure, const RetrievalColumn& column, int64_t row,
                        int64_t i, int64_t place) {
  const bool is_truth = same_pixels(column.found, i, figure.truth, row);
  return fmt::format("{}, nearest clip {}. Copies in the pool of {}: {}.{}", column.label, place,
                     figure.pool, column.copies[static_cast<size_t>(i)],
                     is_truth ? " It is the true future." : "");
}

/// Adds the panels of one query at their place on the sheet.
void add_row(const RetrievalFigure& figure, const Panels& panels, int64_t row,
             RetrievalSheet& sheet) {
  const int64_t top = sheet.tops[static_cast<size_t>(row)];
  const int64_t each = clips_each(figure);
  sheet.panels.push_back({sheet.starts[0], top, panels.past(row), "The source clip."});
  sheet.panels.push_back(
      {sheet.starts[1], top, panels.future(row, figure.truth, row), "The true future."});
  for (size_t c = 0; c < figure.columns.size(); ++c) {
    const RetrievalColumn& column = figure.columns[c];
    for (int64_t k = 0; k < each; ++k) {
      const int64_t i = row * each + k;
      const int64_t left = sheet.starts[c + 2] + k * (panels.window().across() + kGap);
      sheet.panels.push_back({left, top, panels.future(row, column.found, i),
                              about_found(figure, column, row, i, k + 1)});
    }
  }
}

}  // namespace

RetrievalSheet retrieval_sheet(const RetrievalFigure& figure) {
  require_shapes(figure);
  const Panels panels(figure);
  const int64_t step = panels.window().across() + kGap;
  RetrievalSheet sheet;
  sheet.panel_height = panels.window().down();
  sheet.starts = {0, step};
  sheet.width = 2 * step - kGap;
  for (size_t c = 0; c < figure.columns.size(); ++c) {
    sheet.starts.push_back(sheet.width + kWideGap);
    sheet.width += kWideGap + clips_each(figure) * step - kGap;
  }
  for (int64_t row = 0; row < figure.past.rows(); ++row) {
    sheet.tops.push_back(row * (sheet.panel_height + kText));
    add_row(figure, panels, row, sheet);
  }
  sheet.height = figure.past.rows() * (sheet.panel_height + kText);
  return sheet;
}

}  // namespace adassl::report
