#include "adassl/data/source.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <limits>
#include <numeric>

#include "adassl/core/host.h"
#include "adassl/data/order.h"
#include "adassl/kernels/threads.h"

namespace adassl::data {
namespace {

/// random.h numbers rows with 32 bits.
void require_numbered(int64_t count) {
  ADASSL_CHECK(count <= std::numeric_limits<uint32_t>::max(),
               "[data] expected less than 2^32 pairs at once, got ", count);
}

double bytes_of_batch(const Source::Shape& shape, int64_t count) {
  double observation = shape.element == Element::kUint8 ? 1 : sizeof(float);
  for (const int64_t extent : shape.observation) observation *= static_cast<double>(extent);
  const int views = 2 + (shape.helper ? 1 : 0) + (shape.mirror_helper ? 1 : 0);
  const auto known = static_cast<double>(shape.change + 2 * shape.factors());
  return static_cast<double>(count) * (views * observation + sizeof(float) * known);
}

/// Throws an Error if the batch needs more memory than is free. Small batches are not checked,
/// because the answer comes from files in /proc and a step may take only a millisecond.
void require_memory(double bytes, int64_t count) {
  constexpr double kSmall = 64 << 20;
  if (bytes < kSmall) return;
  const auto available = static_cast<double>(host::available_memory());
  ADASSL_CHECK(bytes < available, "[data] expected a batch that fits into memory, got ", count,
               " pairs: they need ", text::bytes(bytes), ", ", text::bytes(available), " are free");
}

/// Chooses the pairs of a batch that belongs to no training step.
std::vector<int64_t> chosen_by(const random::Stream& stream, std::optional<int64_t> size,
                               int64_t count) {
  std::vector<int64_t> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), 0);
  if (!size) return out;
  const KeyedPermutation shuffled(*size, stream.named("order"));
  for (int64_t& number : out) number = shuffled(number % *size);
  return out;
}

}  // namespace

int64_t Source::Shape::factors() const {
  return std::ranges::count_if(columns, [](const Column& column) { return column.is_factor(); });
}

Batch make_batch(const Source::Shape& shape, int64_t count) {
  require_numbered(count);
  require_memory(bytes_of_batch(shape, count), count);
  std::vector<int64_t> observations = {count};
  observations.insert(observations.end(), shape.observation.begin(), shape.observation.end());
  Batch out;
  out.x = make_array(observations, shape.element);
  out.x_plus = make_array(observations, shape.element);
  if (shape.helper) out.helper = make_array(observations, shape.element);
  if (shape.mirror_helper) out.mirror_helper = make_array(observations, shape.element);
  if (shape.change > 0) out.change = make_array({count, shape.change});
  if (const int64_t factors = shape.factors(); factors > 0) {
    out.factors = make_array({count, factors});
    out.factors_plus = make_array({count, factors});
  }
  return out;
}

Batch Source::pairs(const random::Stream& stream, int64_t count) const {
  Batch batch = make_batch(shape(), count);
  const std::vector<int64_t> numbers = chosen_by(stream, pair_count(), count);
  in_chunks(count, [&](int64_t first, int64_t rows) {
    make_pairs({stream, first,
                std::span(numbers).subspan(static_cast<size_t>(first), static_cast<size_t>(rows))},
               batch);
  });
  return batch;
}

PairPlace place_of(Batch& batch, int64_t row) {
  return {row_of(batch.x, row),           row_of(batch.x_plus, row),
          row_of(batch.helper, row),      row_of(batch.mirror_helper, row),
          bytes_of(batch.x, row),         bytes_of(batch.x_plus, row),
          bytes_of(batch.helper, row),    bytes_of(batch.mirror_helper, row),
          row_of(batch.change, row),      row_of(batch.factors, row),
          row_of(batch.factors_plus, row)};
}

void PairwiseSource::make_pairs(const PairRows& rows, Batch& batch) const {
  const kernels::FlushDenormals flush;
  for (int64_t k = 0; k < rows.count(); ++k) {
    const int64_t row = rows.first + k;
    const int64_t pair = rows.pairs[static_cast<size_t>(k)];
    try {
      make_pair(pair, rows.stream.at(static_cast<uint32_t>(row)), place_of(batch, row));
    } catch (const Error& error) {
      throw Error(join("[", name_of(pair), "] ", error.what()));
    }
  }
}

void in_chunks(int64_t total, const std::function<void(int64_t first, int64_t count)>& work) {
  constexpr int64_t kRows = 64;  // the block size of the numerical source
  const int64_t chunks = (total + kRows - 1) / kRows;
  std::vector<std::exception_ptr> thrown(static_cast<size_t>(chunks));
  kernels::parallel_for(chunks, [&](int64_t chunk) {
    const int64_t first = chunk * kRows;
    try {
      work(first, std::min(kRows, total - first));
    } catch (...) {
      thrown[static_cast<size_t>(chunk)] = std::current_exception();
    }
  });
  for (const auto& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
}

}  // namespace adassl::data
