#include "adassl/data/source.h"

#include <algorithm>
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

double bytes_of_view(const Source::Shape& shape, int64_t count) {
  double out = shape.element == Element::kUint8 ? 1 : sizeof(float);
  for (const int64_t extent : shape.observation) out *= static_cast<double>(extent);
  return static_cast<double>(count) * out;
}

double bytes_of_batch(const Source::Shape& shape, int64_t count) {
  const int views = 2 + (shape.helper ? 1 : 0) + (shape.mirror_helper ? 1 : 0);
  const int64_t classes = shape.pair_classes ? shape.classes() : 0;
  const auto known = static_cast<double>(count * (shape.change + 2 * shape.factors() + classes));
  return views * bytes_of_view(shape, count) + sizeof(float) * known;
}

/// Throws an Error if the batch needs more memory than is free. Small batches are not checked,
/// because the answer comes from files in /proc and a step may take only a millisecond.
void require_memory(double bytes, int64_t count, const char* of) {
  constexpr double kSmall = 64 << 20;
  if (bytes < kSmall) return;
  const auto available = static_cast<double>(host::available_memory());
  ADASSL_CHECK(bytes < available, "[data] expected a batch that fits into memory, got ", count, " ",
               of, ": they need ", text::bytes(bytes), ", ", text::bytes(available), " are free");
}

Array view_of(const Source::Shape& shape, int64_t count) {
  std::vector<int64_t> extents = {count};
  extents.insert(extents.end(), shape.observation.begin(), shape.observation.end());
  return make_array(std::move(extents), shape.element);
}

void drop_rows(int64_t count, Array& array) {
  const int64_t numbers = count * array.columns();
  const auto drop = [&](auto& data) {
    if (!data.empty()) data.erase(data.begin(), data.begin() + numbers);
  };
  drop(array.values);
  drop(array.bytes);
  if (!array.shape.empty()) array.shape[0] -= count;
}

}  // namespace

int64_t Source::Shape::factors() const {
  return std::ranges::count_if(columns, [](const Column& column) { return column.is_factor(); });
}

Array make_observations(const Source::Shape& shape, int64_t count) {
  require_memory(bytes_of_view(shape, count), count, "observations");
  return view_of(shape, count);
}

Batch make_batch(const Source::Shape& shape, int64_t count) {
  require_numbered(count);
  require_memory(bytes_of_batch(shape, count), count, "pairs");
  Batch out;
  out.x = view_of(shape, count);
  out.x_plus = view_of(shape, count);
  if (shape.helper) out.helper = view_of(shape, count);
  if (shape.mirror_helper) out.mirror_helper = view_of(shape, count);
  if (shape.change > 0) out.change = make_array({count, shape.change});
  if (const int64_t factors = shape.factors(); factors > 0) {
    out.factors = make_array({count, factors});
    out.factors_plus = make_array({count, factors});
  }
  if (shape.pair_classes) out.classes_plus = make_array({count, shape.classes()});
  return out;
}

Samples Source::samples_from(const std::string& population, const random::Stream& stream,
                             int64_t first, int64_t count) const {
  Samples out = samples(population, stream, first + count);
  if (first == 0) return out;
  drop_rows(first, out.x);
  drop_rows(first, out.known);
  return out;
}

// Rows are numbered from 0 in every batch, so the randomness of later ones needs another name.
PairDraw::PairDraw(const Source& source, const random::Stream& from, int64_t count, int64_t first)
    : numbers(static_cast<size_t>(count)),
      stream(first == 0 ? from : from.named(join("from ", first))) {
  std::iota(numbers.begin(), numbers.end(), first);
  const auto size = source.pair_count();
  if (!size) return;
  const KeyedPermutation shuffled(*size, from.named("order"));
  for (int64_t& number : numbers) number = shuffled(number % *size);
}

Batch Source::pairs(const random::Stream& stream, int64_t count, int64_t first) const {
  Batch batch = make_batch(shape(), count);
  const PairDraw draw(*this, stream, count, first);
  in_chunks(count, [&](int64_t row, int64_t rows) {
    const auto numbers =
        std::span(draw.numbers).subspan(static_cast<size_t>(row), static_cast<size_t>(rows));
    make_pairs({draw.stream, row, numbers}, batch);
  });
  return batch;
}

PairPlace place_of(Batch& batch, int64_t row) {
  return {row_of(batch.x, row),
          row_of(batch.x_plus, row),
          row_of(batch.helper, row),
          row_of(batch.mirror_helper, row),
          bytes_of(batch.x, row),
          bytes_of(batch.x_plus, row),
          bytes_of(batch.helper, row),
          bytes_of(batch.mirror_helper, row),
          row_of(batch.change, row),
          row_of(batch.factors, row),
          row_of(batch.factors_plus, row),
          row_of(batch.classes_plus, row)};
}

void PairwiseSource::make_pairs(const PairRows& rows, Batch& batch) const {
  const kernels::FlushDenormals flush;
  for (int64_t k = 0; k < rows.count(); ++k) {
    const int64_t row = rows.first + k;
    const int64_t pair = rows.pairs[static_cast<size_t>(k)];
    try {
      make_pair(pair, rows.stream.at(static_cast<uint32_t>(row)), place_of(batch, row));
    } catch (const LostSample&) {
      throw;
    } catch (const SystemError&) {
      throw;  // of another kind than a user's mistake
    } catch (const Error& error) {
      throw Error(join("[", name_of(pair), "] ", error.what()));
    }
  }
}

void in_chunks(int64_t total, const std::function<void(int64_t first, int64_t count)>& work) {
  const int64_t chunks = (total + kRowsAtOnce - 1) / kRowsAtOnce;
  kernels::parallel_for_or_throw(chunks, [&](int64_t chunk) {
    const int64_t first = chunk * kRowsAtOnce;
    work(first, std::min(kRowsAtOnce, total - first));
  });
}

}  // namespace adassl::data
