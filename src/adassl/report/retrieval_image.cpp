#include <algorithm>

#include "adassl/report/clip_panel.h"
#include "adassl/report/digits.h"
#include "adassl/report/retrieval.h"

namespace adassl::report {

Image retrieval_image(const RetrievalFigure& figure, const RetrievalSheet& sheet) {
  Image image = make_paper(sheet.width, sheet.height);
  for (const RetrievalPanel& panel : sheet.panels) {
    const int64_t bytes = panel.image.width * 3;
    for (int64_t y = 0; y < panel.image.height; ++y) {
      std::copy_n(panel.image.pixels.begin() + y * bytes, bytes,
                  image.pixels.begin() + ((panel.top + y) * image.width + panel.left) * 3);
    }
  }
  constexpr int64_t kZoom = 6;  // of the digits
  for (size_t c = 0; c < figure.columns.size(); ++c) {
    for (size_t row = 0; row < sheet.tops.size(); ++row) {
      draw_number(image, sheet.starts[c + 2], sheet.tops[row] + sheet.panel_height + 2 * kZoom,
                  kZoom, figure.columns[c].ranks[row]);
    }
  }
  return image;
}

}  // namespace adassl::report
