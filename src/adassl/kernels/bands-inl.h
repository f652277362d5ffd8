// The logits of a softmax are processed in bands of rows that stay in the cache. The rows of one
// band and the columns of the previous band are processed at the same time. Every entry of a
// gradient therefore belongs to one task and has one order of summation. Included once for each
// instruction set, hence no #pragma once.
#if defined(ADASSL_KERNELS_BANDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ADASSL_KERNELS_BANDS_INL_H_
#undef ADASSL_KERNELS_BANDS_INL_H_
#else
#define ADASSL_KERNELS_BANDS_INL_H_
#endif

#include "adassl/kernels/threads.h"
#include "adassl/kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {

constexpr int64_t kTaskRows = 12;       // rows of one task
constexpr int64_t kColumnTasks = 8;     // into which the columns of a band are divided
constexpr int64_t kBandFloats = 98304;  // logits of one band, which should stay in the cache
constexpr int64_t kGroup = 16;          // blocks in a partial sum; partial sums improve accuracy

/// How an N x M matrix is divided into bands: a function of its size alone.
struct Bands {
  Bands(int64_t row_count, int64_t columns)
      : rows(row_count),
        blocks(blocks_of(columns)),
        stride(blocks * kBlock + 16),
        band_rows(kTaskRows * std::clamp(kBandFloats / (blocks * kBlock) / kTaskRows, int64_t{2},
                                         int64_t{8})) {}

  int64_t count() const { return (rows + band_rows - 1) / band_rows; }
  int64_t rows_of(int64_t band) const { return std::min(band_rows, rows - band * band_rows); }

  int64_t rows;
  int64_t blocks;     // of columns
  int64_t stride;     // of a row of logits, padded so that rows do not share cache sets
  int64_t band_rows;  // in every band but the last
};

/// Calls rows_work(band, first row in the band, number of rows) and, if `columns_wanted`, at the
/// same time columns_work(previous band, first block, end block).
template <class Rows, class Columns>
void in_bands(const Bands& bands, bool columns_wanted, const Rows& rows_work,
              const Columns& columns_work) {
  const int64_t column_blocks = (bands.blocks + kColumnTasks - 1) / kColumnTasks;
  for (int64_t band = 0; band <= bands.count(); ++band) {
    const int64_t rows = band < bands.count() ? bands.rows_of(band) : 0;
    const int64_t row_tasks = (rows + kTaskRows - 1) / kTaskRows;
    const int64_t column_tasks =
        band > 0 && columns_wanted ? (bands.blocks + column_blocks - 1) / column_blocks : 0;
    parallel_for(row_tasks + column_tasks, [&](int64_t task) {
      if (task < row_tasks) {
        const int64_t first = task * kTaskRows;
        rows_work(band, first, std::min(kTaskRows, rows - first));
      } else {
        const int64_t begin = (task - row_tasks) * column_blocks;
        columns_work(band - 1, begin, std::min(bands.blocks, begin + column_blocks));
      }
    });
  }
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
