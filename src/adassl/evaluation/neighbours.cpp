#include "adassl/evaluation/neighbours.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "adassl/nn/tensors.h"

namespace adassl::evaluation {
namespace {

/// Unit rows in double precision, contiguous in memory.
Tensor directions(const Tensor& rows) {
  return nn::normalise(rows.to(torch::kFloat64)).contiguous();
}

std::span<const double> row(const Tensor& matrix, int64_t i) {
  const auto columns = static_cast<size_t>(matrix.size(1));
  return {matrix.data_ptr<double>() + static_cast<size_t>(i) * columns, columns};
}

struct Tally {
  int64_t votes = 0;
  double similarity = 0;
};

int64_t winner(std::span<const double> similarity, std::span<const int64_t> labels, int64_t classes,
               int64_t k, std::vector<int64_t>& order) {
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto nearer = [&](int64_t a, int64_t b) {
    const double left = similarity[static_cast<size_t>(a)];
    const double right = similarity[static_cast<size_t>(b)];
    return left != right ? left > right : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + k, order.end(), nearer);
  std::vector<Tally> tallies(static_cast<size_t>(classes));
  for (int64_t i = 0; i < k; ++i) {
    const auto voter = static_cast<size_t>(order[static_cast<size_t>(i)]);
    Tally& tally = tallies[static_cast<size_t>(labels[voter])];
    ++tally.votes;
    tally.similarity += similarity[voter];
  }
  const auto best =
      std::max_element(tallies.begin(), tallies.end(), [](const Tally& a, const Tally& b) {
        return a.votes != b.votes ? a.votes < b.votes : a.similarity < b.similarity;
      });
  return best - tallies.begin();
}

}  // namespace

Tensor nearest(const Tensor& queries, const Tensor& gallery) {
  const Tensor q = directions(queries);
  const Tensor g = directions(gallery);
  std::vector<int64_t> out;
  std::vector<double> similarity(static_cast<size_t>(g.size(0)));
  for (int64_t i = 0; i < q.size(0); ++i) {
    const auto query = row(q, i);
    for (int64_t j = 0; j < g.size(0); ++j) {  // a matrix product may round equal rows differently
      similarity[static_cast<size_t>(j)] =
          std::inner_product(query.begin(), query.end(), row(g, j).begin(), 0.0);
    }
    out.push_back(std::max_element(similarity.begin(), similarity.end()) - similarity.begin());
  }
  return torch::tensor(out, torch::kInt64);
}

Tensor vote(const Tensor& queries, const Tensor& rows, const Tensor& labels, int64_t classes,
            int64_t k) {
  constexpr int64_t kBlock = 256;
  const Tensor candidates = directions(rows);
  const Tensor known = labels.contiguous();
  const std::span<const int64_t> classes_of(known.data_ptr<int64_t>(),
                                            static_cast<size_t>(known.numel()));
  std::vector<int64_t> order(classes_of.size());
  std::vector<int64_t> out;
  for (const Tensor& block : directions(queries).split(kBlock)) {
    const Tensor similarity = block.matmul(candidates.t()).contiguous();
    for (int64_t i = 0; i < block.size(0); ++i) {
      out.push_back(
          winner(row(similarity, i), classes_of, classes, std::min(k, candidates.size(0)), order));
    }
  }
  return torch::tensor(out, torch::kInt64);
}

}  // namespace adassl::evaluation
