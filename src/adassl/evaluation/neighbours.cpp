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

/// The numbers of the first k rows, ordered by similarity.
void order_by(std::span<const double> similarity, int64_t k, std::vector<int64_t>& order) {
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto nearer = [&](int64_t a, int64_t b) {
    const double left = similarity[static_cast<size_t>(a)];
    const double right = similarity[static_cast<size_t>(b)];
    return left != right ? left > right : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + k, order.end(), nearer);
}

int64_t winner(const std::vector<Tally>& tallies) {
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

Neighbours find_neighbours(const Tensor& queries, const Tensor& rows, int64_t k) {
  constexpr int64_t kBlock = 256;
  const Tensor candidates = directions(rows);
  k = std::min(k, candidates.size(0));
  std::vector<int64_t> order(static_cast<size_t>(candidates.size(0)));
  Neighbours out{torch::empty({queries.size(0), k}, torch::kInt64),
                 torch::empty({queries.size(0), k}, torch::kFloat64)};
  auto* number = out.rows.data_ptr<int64_t>();
  auto* value = out.similarity.data_ptr<double>();
  for (const Tensor& block : directions(queries).split(kBlock)) {
    const Tensor similarity = block.matmul(candidates.t()).contiguous();
    for (int64_t i = 0; i < block.size(0); ++i) {
      const auto of_query = row(similarity, i);
      order_by(of_query, k, order);
      for (const int64_t near : std::span(order).first(static_cast<size_t>(k))) {
        *number++ = near;
        *value++ = of_query[static_cast<size_t>(near)];
      }
    }
  }
  return out;
}

Tensor vote(const Neighbours& neighbours, const Tensor& labels, int64_t classes) {
  const Tensor votes = labels.index({neighbours.rows}).contiguous();  // [Q, k]
  const auto* label = votes.data_ptr<int64_t>();
  const auto* similarity = neighbours.similarity.data_ptr<double>();
  std::vector<int64_t> out;
  for (int64_t i = 0; i < votes.size(0); ++i) {
    std::vector<Tally> tallies(static_cast<size_t>(classes));
    for (int64_t j = 0; j < votes.size(1); ++j) {
      Tally& tally = tallies[static_cast<size_t>(*label++)];
      ++tally.votes;
      tally.similarity += *similarity++;
    }
    out.push_back(winner(tallies));
  }
  return torch::tensor(out, torch::kInt64);
}

}  // namespace adassl::evaluation
