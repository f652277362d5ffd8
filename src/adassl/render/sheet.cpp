#include "adassl/render/sheet.h"

#include "adassl/core/error.h"
#include "adassl/kernels/threads.h"

namespace adassl::render {

storage::Image sheet_of_factors(const Object& object, const Quality& quality, int64_t columns) {
  constexpr int64_t kGap = 2;
  constexpr uint8_t kLight = 255;
  ADASSL_CHECK(columns >= 2 && columns <= 64, "[render] columns: expected 2 to 64, got ", columns);
  const int64_t step = quality.size + kGap;
  storage::Image out =
      storage::make_image(columns * step - kGap, static_cast<int64_t>(kFactors) * step - kGap, 3);
  std::fill(out.pixels.begin(), out.pixels.end(), kLight);
  kernels::parallel_for_or_throw(static_cast<int64_t>(kFactors) * columns, [&](int64_t cell) {
    const int64_t row = cell / columns;
    const int64_t column = cell % columns;
    Factors raw = kSheetScene;
    raw[static_cast<size_t>(row)] =
        -1 + 2 * static_cast<float>(column) / static_cast<float>(columns - 1);
    const storage::Image image =
        render(make_scene(object, raw), quality, random::Stream(1, "teapots sheet"));
    for (int64_t y = 0; y < quality.size; ++y) {
      const int64_t to = ((row * step + y) * out.width + column * step) * 3;
      std::copy_n(&image.pixels[static_cast<size_t>(3 * y * quality.size)], 3 * quality.size,
                  &out.pixels[static_cast<size_t>(to)]);
    }
  });
  return out;
}

}  // namespace adassl::render
