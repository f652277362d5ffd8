#include "adassl/data/loader.h"

#include <algorithm>

#include "adassl/kernels/threads.h"

namespace adassl::data {
namespace {

using Numbers = std::function<std::vector<int64_t>(int64_t first, int64_t count)>;

/// The job of making the pairs that numbers(first, count) names.
Job<Batch> job_of(const Source& source, const random::Stream& stream, Numbers numbers,
                  int64_t count, int64_t share) {
  Job<Batch> out{std::make_shared<Batch>(make_batch(source.shape(), count)), {count, share, {}}};
  out.work.make = [&source, stream, numbers = std::move(numbers), batch = out.made](int64_t first,
                                                                                    int64_t rows) {
    const kernels::FlushDenormals flush;  // on every thread, or bits could depend on the thread
    const std::vector<int64_t> pairs = numbers(first, rows);
    source.make_pairs({stream, first, pairs}, *batch);
  };
  return out;
}

Ahead<Batch> batches_of(const LoaderContext& context) {
  const int64_t shares = std::max<int64_t>(context.prefetch.workers, 1);
  const int64_t share = std::max<int64_t>((context.batch + shares - 1) / shares, 1);
  const auto order =
      std::make_shared<Order>(context.source.pair_count(), context.seed, context.batch);
  const auto start = [=, &source = context.source, seed = context.seed,
                      batch = context.batch](int64_t step) {
    return job_of(
        source, {seed, "pairs", static_cast<uint64_t>(step)},
        [=](int64_t first, int64_t count) { return order->rows(step, first, count); }, batch,
        share);
  };
  return {start, context.steps, context.prefetch};
}

/// Copies the rows of one array into those of a larger one, from row `first` on.
void copy_rows(const Array& from, int64_t first, Array& to) {
  const int64_t at = first * from.columns();
  std::ranges::copy(from.values, to.values.begin() + (from.values.empty() ? 0 : at));
  std::ranges::copy(from.bytes, to.bytes.begin() + (from.bytes.empty() ? 0 : at));
}

}  // namespace

Loader::Loader(const LoaderContext& context) : batches_(batches_of(context)) {}

Job<Batch> job_of_pairs(const Source& source, const random::Stream& stream, int64_t count,
                        int64_t first) {
  const PairDraw draw(source, stream, count, first);
  return job_of(
      source, draw.stream,
      [numbers = draw.numbers](int64_t row, int64_t rows) {
        return std::vector(numbers.begin() + row, numbers.begin() + row + rows);
      },
      count, kRowsAtOnce);
}

Job<Samples> job_of_samples(const Source& source, const std::string& population,
                            const random::Stream& stream, int64_t first, int64_t count) {
  auto made = std::make_shared<Samples>();
  if (!source.makes_samples_apart()) {
    return {made, {count, count, [=, &source](int64_t, int64_t) {
                     *made = source.samples_from(population, stream, first, count);
                   }}};
  }
  const Source::Shape shape = source.shape();
  made->x = make_observations(shape, count);
  if (!shape.columns.empty()) made->known = make_array({count, std::ssize(shape.columns)});
  return {made, {count, kRowsAtOnce, [=, &source](int64_t row, int64_t rows) {
                   const Samples some = source.samples_from(population, stream, first + row, rows);
                   copy_rows(some.x, row, made->x);
                   copy_rows(some.known, row, made->known);
                 }}};
}

}  // namespace adassl::data
