#include "adassl/kernels/nearest.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "adassl/core/error.h"
#include "adassl/kernels/threads.h"

// simd.h says for which targets, before foreach_target.h asks.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adassl/kernels/nearest.cpp"
#include "adassl/kernels/simd.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace adassl::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The inner products of one row with kQueries queries, which lie one after the other. Each row is
/// read once for all of them, and their sums hide each other's latency.
template <int kQueries>
HWY_INLINE void products(const float* queries, const float* row, int64_t width, float* out) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sums[kQueries];
  for (auto& sum : sums) sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= width; i += lanes) {
    const auto value = hn::LoadU(d, row + i);
    for (int q = 0; q < kQueries; ++q) {
      sums[q] = hn::MulAdd(hn::LoadU(d, queries + q * width + i), value, sums[q]);
    }
  }
  if (i < width) {
    const auto rest = hn::FirstN(d, static_cast<size_t>(width - i));
    const auto value = hn::MaskedLoad(rest, d, row + i);
    for (int q = 0; q < kQueries; ++q) {
      sums[q] = hn::MulAdd(hn::MaskedLoad(rest, d, queries + q * width + i), value, sums[q]);
    }
  }
  for (int q = 0; q < kQueries; ++q) out[q] = hn::GetLane(hn::SumOfLanes(d, sums[q]));
}

/// out[row][query] for `count` queries, up to eight, and `rows` rows.
void similarities(const float* queries, int64_t count, const float* values, int64_t rows,
                  int64_t width, float* out) {
  for (int64_t row = 0; row < rows; ++row) {
    const float* at = values + row * width;
    float* to = out + row * count;
    int64_t q = 0;
    for (; q + 4 <= count; q += 4) products<4>(queries + q * width, at, width, to + q);
    for (; q < count; ++q) products<1>(queries + q * width, at, width, to + q);
  }
}

}  // namespace adassl::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adassl::kernels {
namespace {

HWY_EXPORT(similarities);

constexpr int64_t kQueries = 8;  // in a task: a row is read from memory once for all of them
constexpr int64_t kRows = 256;   // at a time

bool better(const Neighbour& a, const Neighbour& b) {
  return a.similarity != b.similarity ? a.similarity > b.similarity : a.row < b.row;
}

/// The k best so far, as a heap whose front is the worst of them.
void offer(std::vector<Neighbour>& best, size_t k, const Neighbour& candidate) {
  if (best.size() == k && !better(candidate, best.front())) return;
  if (best.size() == k) {
    std::ranges::pop_heap(best, better);
    best.back() = candidate;
  } else {
    best.push_back(candidate);
  }
  std::ranges::push_heap(best, better);
}

}  // namespace

std::vector<std::vector<Neighbour>> nearest_rows(const RowsView& queries, const RowsView& rows,
                                                 int64_t k) {
  ADASSL_CHECK(queries.width == rows.width, "[nearest] expected queries ", rows.width,
               " wide, as the rows are, got ", queries.width);
  const auto kept = static_cast<size_t>(std::clamp<int64_t>(k, 0, rows.count()));
  const int64_t width = rows.width;
  std::vector<std::vector<Neighbour>> out(static_cast<size_t>(queries.count()));
  if (kept == 0) return out;
  const int64_t tasks = (queries.count() + kQueries - 1) / kQueries;
  parallel_for(tasks, [&](int64_t task) {
    const int64_t first = task * kQueries;
    const int64_t count = std::min(kQueries, queries.count() - first);
    float found[kRows * kQueries];
    for (int64_t row = 0; row < rows.count(); row += kRows) {
      const int64_t some = std::min(kRows, rows.count() - row);
      ADASSL_DISPATCH(similarities)
      (queries.values.data() + first * width, count, rows.values.data() + row * width, some, width,
       found);
      for (int64_t i = 0; i < some * count; ++i) {
        const float value =
            std::isnan(found[i]) ? -std::numeric_limits<float>::infinity() : found[i];
        offer(out[static_cast<size_t>(first + i % count)], kept, {row + i / count, value});
      }
    }
    for (int64_t q = first; q < first + count; ++q) {
      std::ranges::sort_heap(out[static_cast<size_t>(q)], better);
    }
  });
  return out;
}

}  // namespace adassl::kernels
#endif  // HWY_ONCE
