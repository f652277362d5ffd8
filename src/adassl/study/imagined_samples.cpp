#include "adassl/study/imagined_samples.h"

#include <set>

#include "adassl/evaluation/evaluation.h"
#include "adassl/nn/tensors.h"

namespace adassl::study {

std::vector<Imagined> imagined_samples(const Restored& model, const SeenSamples& gallery,
                                       const ImagineOptions& options) {
  auto& predicts = evaluation::require<model::Predicts>(*model.method);
  const std::vector<int64_t> asked = asked_rows(gallery, options.queries, options.rows, "imagine");
  Array rows = all_rows(model, gallery, Output::kTarget);
  normalise_rows(rows);
  const evaluation::Frozen frozen(*model.method);
  const random::Stream noise(options.seed, "imagine/noise");
  std::vector<Imagined> out;
  for (const int64_t row : asked) {
    const int64_t sample = gallery.usable[static_cast<size_t>(row)];
    const Array x = gallery.see(std::vector{sample});
    const Tensor starts = predicts.encode(nn::view(x)).repeat_interleave(options.draws, 0);
    const Tensor r = predicts.imagine_r(starts, noise.named(gallery.name(sample)));
    Array predicted = nn::array_of(predicts.predict(starts, r));  // [draws, d]
    normalise_rows(predicted);
    // Two of each, because the nearest one may be x itself.
    const auto found = kernels::nearest_rows({predicted.values, predicted.columns()},
                                             {rows.values, rows.columns()}, 2);
    Imagined one{sample, {}, 0};
    std::set<int64_t> different;
    for (const auto& near : found) {
      for (const kernels::Neighbour& other : near) {
        if (other.row == row) continue;
        one.draws.push_back({gallery.usable[static_cast<size_t>(other.row)], other.similarity});
        different.insert(other.row);
        break;
      }
    }
    one.distinct = static_cast<int64_t>(different.size());
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace adassl::study
