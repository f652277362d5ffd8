#include "adassl/data/kd_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "adassl/core/error.h"

namespace adassl::data {
namespace {

constexpr int32_t kLeaf = 16;  // points in a leaf

}  // namespace

struct KdTree::Search {
  std::span<const float> query;
  int64_t excluded;
  double best = std::numeric_limits<double>::infinity();
  int64_t found = -1;
};

KdTree::KdTree(std::vector<float> points, int64_t width)
    : width_(width), points_(std::move(points)) {
  const size_t count = points_.size() / static_cast<size_t>(width);
  ADASSL_CHECK(count < static_cast<size_t>(std::numeric_limits<int32_t>::max()),
               "[neighbour] expected less than 2^31 samples, got ", count);
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0);
  build(0, static_cast<int32_t>(count));
}

/// Splits the widest dimension at its median.
void KdTree::build(int32_t begin, int32_t end) {
  const auto value = [&](int32_t i, int64_t d) {
    return points_[static_cast<size_t>(i * width_ + d)];
  };
  int32_t dimension = -1;
  float widest = 0;
  for (int64_t d = 0; d < width_ && end - begin > kLeaf; ++d) {
    float least = std::numeric_limits<float>::infinity(), most = -least;
    for (int32_t k = begin; k < end; ++k) {
      least = std::min(least, value(order_[static_cast<size_t>(k)], d));
      most = std::max(most, value(order_[static_cast<size_t>(k)], d));
    }
    if (most - least > widest) {
      widest = most - least;
      dimension = static_cast<int32_t>(d);
    }
  }
  const size_t own = nodes_.size();
  nodes_.push_back({dimension, 0, 0, begin, end});
  if (dimension < 0) return;  // few points, or all of them equal
  const int32_t middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                   [&](int32_t a, int32_t b) { return value(a, dimension) < value(b, dimension); });
  nodes_[own].split = value(order_[static_cast<size_t>(middle)], dimension);
  build(begin, middle);
  nodes_[own].right = static_cast<int32_t>(nodes_.size());
  build(middle, end);
}

int64_t KdTree::nearest(std::span<const float> query, int64_t excluded) const {
  Search state{query, excluded};
  if (!order_.empty()) search(0, state);
  return state.found;
}

void KdTree::search(int32_t number, Search& state) const {
  const Node& node = nodes_[static_cast<size_t>(number)];
  if (node.dimension < 0) {
    for (int32_t k = node.begin; k < node.end; ++k) {
      const int64_t i = order_[static_cast<size_t>(k)];
      if (i == state.excluded) continue;
      double distance = 0;
      const std::span<const float> other = point(i);
      for (size_t d = 0; d < other.size(); ++d) {
        const double difference = static_cast<double>(other[d]) - state.query[d];
        distance += difference * difference;
      }
      if (distance < state.best || (distance == state.best && i < state.found)) {
        state.best = distance;
        state.found = i;
      }
    }
    return;
  }
  // Points equal to the split may be on either side.
  const double offset =
      static_cast<double>(state.query[static_cast<size_t>(node.dimension)]) - node.split;
  const int32_t left = number + 1;
  search(offset < 0 ? left : node.right, state);
  if (offset * offset <= state.best) search(offset < 0 ? node.right : left, state);
}

}  // namespace adassl::data
