#include "adassl/evaluation/inferred_r.h"

#include <algorithm>

namespace adassl::evaluation {

Tensor beyond_x(model::Predicts* method, const Tensor& x, const Tensor& r) {
  return method == nullptr ? r : r - method->expected_r(method->encode(x));
}

InferredR infer_r(model::InfersR& method, const Tensor& x, const Tensor& x_plus, int64_t draws,
                  const random::Stream& noise) {
  constexpr int64_t kRows = 512;  // that the method sees at once
  const int64_t pairs = std::max<int64_t>(kRows / draws, 1);
  auto* predicts = model::offers<model::Predicts>(method);
  InferredR out;
  std::vector<Tensor> r, cost;
  for (int64_t first = 0; first < x.size(0); first += pairs) {
    const int64_t count = std::min(pairs, x.size(0) - first);
    const auto repeated = [&](const Tensor& all) {
      return all.narrow(0, first, count).repeat_interleave(draws, 0);
    };
    const Tensor source = repeated(x);
    const Tensor target = repeated(x_plus);
    const model::Usage usage =
        method.usage({source, target, target, source, {}}, noise.named(std::to_string(first)));
    const model::Draw& draw = usage.draws.front();
    const auto mean = [&](const Tensor& rows) {
      return rows.to(torch::kFloat64).view({count, draws, -1}).mean(1);
    };
    r.push_back(mean(beyond_x(predicts, source, draw.r)));
    if (draw.cost.defined()) cost.push_back(mean(draw.cost));
    out.unit = usage.cost;
  }
  out.r = torch::cat(r);
  out.cost = cost.empty() ? torch::zeros_like(out.r) : torch::cat(cost);
  return out;
}

std::vector<Tensor> look_at_inferred(
    const Subject& subject, int64_t count, const PairStreams& streams,
    const std::function<std::vector<Tensor>(const Batch& batch, const Tensor& r)>& look) {
  constexpr int64_t kRows = 512;  // small, because the method encodes all views of a batch at once
  auto& infers = require<model::InfersR>(subject.method);
  count = std::min(count, subject.source.pair_count().value_or(count));
  return in_pieces<Batch>(
      pieces_of(kRows, count), subject.prefetch,
      [&](const Piece& piece) { return piece_of_pairs(subject, piece, streams.pairs); },
      [&](const Batch& batch, const Piece& piece) {
        const model::Usage usage = infers.usage(model::views(batch), streams.noise(piece.number));
        return look(batch, usage.draws.front().r);
      });
}

Tensor distance_of_changes(const Tensor& r, const Tensor& one) {
  const Tensor deviation = r.std(0, /*unbiased=*/false);
  const Tensor scale = torch::where(deviation > 0, 1 / deviation, torch::zeros_like(deviation));
  return ((r - one) * scale).norm(2, {1});
}

}  // namespace adassl::evaluation
