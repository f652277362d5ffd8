#include "adassl/evaluation/gallery.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "adassl/core/hash.h"
#include "adassl/evaluation/blocks.h"
#include "adassl/nn/tensors.h"

namespace adassl::evaluation {

DistinctRows distinct_rows(const Array& x) {
  const auto rows = static_cast<size_t>(x.rows());
  const bool pixels = x.element() == Element::kUint8;
  const size_t bytes = static_cast<size_t>(x.columns()) * (pixels ? 1 : sizeof(float));
  const auto* first = pixels ? static_cast<const void*>(x.bytes.data()) : x.values.data();
  const auto row = [&](size_t i) { return static_cast<const char*>(first) + i * bytes; };
  DistinctRows out;
  std::unordered_map<uint64_t, std::vector<size_t>> kinds_with_hash;
  for (size_t i = 0; i < rows; ++i) {
    std::vector<size_t>& alike = kinds_with_hash[Hash().add(row(i), bytes).value()];
    const auto same = std::find_if(alike.begin(), alike.end(), [&](size_t kind) {
      return std::memcmp(row(static_cast<size_t>(out.first_row[kind])), row(i), bytes) == 0;
    });
    const size_t kind = same == alike.end() ? out.first_row.size() : *same;
    if (same == alike.end()) {
      alike.push_back(kind);
      out.first_row.push_back(static_cast<int64_t>(i));
      out.copies.push_back(0);
    }
    ++out.copies[kind];
    out.of_row.push_back(static_cast<int64_t>(kind));
  }
  return out;
}

Tensor Gallery::rows(int64_t first, int64_t count) const {
  const std::vector<int64_t> chosen(distinct.of_row.begin() + first,
                                    distinct.of_row.begin() + first + count);
  return embeddings.index_select(0, torch::tensor(chosen, torch::kInt64));
}

Gallery gallery(model::Predicts& method, const Array& x_plus) {
  Gallery out{distinct_rows(x_plus), {}};
  const Tensor x = nn::view(x_plus);
  const Tensor first = torch::tensor(out.distinct.first_row, torch::kInt64);
  const auto embed_block = [&](const Tensor& block) {
    return method.target(block).to(torch::kFloat64);
  };
  out.embeddings = nn::normalise(in_blocks(x.index_select(0, first), embed_block));
  return out;
}

}  // namespace adassl::evaluation
