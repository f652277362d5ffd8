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
    const std::vector<int64_t> self(static_cast<size_t>(options.draws), row);
    Imagined one{sample, {}, 0};
    std::set<int64_t> different;
    for (const auto& nearest : nearest_others(gallery, rows, predicted.values, self, 1)) {
      if (nearest.empty()) continue;  // the gallery has no other sample
      one.draws.push_back(nearest.front());
      different.insert(nearest.front().sample);
    }
    one.distinct = static_cast<int64_t>(different.size());
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace adassl::study
