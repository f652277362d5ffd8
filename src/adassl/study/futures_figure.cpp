#include "adassl/study/futures_figure.h"

#include <numeric>
#include <set>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/evaluation/futures.h"

namespace adassl::study {

Futures held_out_futures(const Experiment& experiment, int64_t clip, int64_t clips,
                         int64_t futures) {
  ADASSL_CHECK(experiment.source->shape().continues,
               "[imagine] expected data that provides several futures of one x, got a "
               "source that does not; for files of your own, add --gallery DATA");
  return experiment.source->futures({experiment.seed, "imagine"}, clip, clips, futures);
}

report::FutureColumn true_futures(int64_t clips, int64_t futures) {
  std::vector<int64_t> all(static_cast<size_t>(futures));
  std::iota(all.begin(), all.end(), 0);
  return {"the truth", fmt::format("{} that may follow", futures),
          std::vector<std::vector<int64_t>>(static_cast<size_t>(clips), all)};
}

report::FutureColumn imagined_futures(const Experiment& experiment, const Futures& futures,
                                      int64_t samples) {
  const evaluation::Frozen frozen(*experiment.method);
  auto& predicts = evaluation::require<model::Predicts>(*experiment.method);
  const Tensor found =
      evaluation::imagined_futures(predicts, futures, samples, {experiment.seed, "imagine/noise"})
          .contiguous();  // [clips, samples]
  report::FutureColumn column;
  double distinct = 0;
  for (int64_t s = 0; s < found.size(0); ++s) {
    const auto* row = found[s].data_ptr<int64_t>();
    column.shown.emplace_back(row, row + found.size(1));
    distinct += static_cast<double>(std::set<int64_t>(row, row + found.size(1)).size());
  }
  distinct /= static_cast<double>(found.size(0));
  column.note = fmt::format("{} draws, {:.1f} different", samples, distinct);
  return column;
}

}  // namespace adassl::study
