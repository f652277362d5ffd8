#include "adassl/data/kd_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "adassl/core/error.h"

namespace adassl::data {
namespace {

constexpr int32_t kLeaf = 16;  // points in a leaf

/// Distances to boxes are sums that change with each step down the tree, so they are rounded
/// otherwise than distances to points. This is far more than the difference: no box is skipped that
/// could hold a point as near as the nearest one.
constexpr double kSlack = 1e-9;

}  // namespace

struct KdTree::Search {
  std::span<const float> query;
  int64_t excluded;
  std::vector<double> offsets;  // from the query to the box that is searched, in each dimension
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
  arrange();
}

/// Puts the points into the order of the tree.
void KdTree::arrange() {
  std::vector<float> arranged;
  arranged.reserve(points_.size());
  place_.resize(order_.size());
  for (size_t place = 0; place < order_.size(); ++place) {
    place_[static_cast<size_t>(order_[place])] = static_cast<int32_t>(place);
    const std::span<const float> own = at(order_[place]);
    arranged.insert(arranged.end(), own.begin(), own.end());
  }
  points_ = std::move(arranged);
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
  Search state{query, excluded, std::vector<double>(query.size())};
  if (!order_.empty()) search(0, 0, state);
  return state.found;
}

void KdTree::search_leaf(const Node& node, Search& state) const {
  const float* other = at(node.begin).data();
  for (int32_t k = node.begin; k < node.end; ++k, other += width_) {
    double distance = 0;
    for (size_t d = 0; d < state.query.size(); ++d) {
      const double difference = static_cast<double>(other[d]) - state.query[d];
      distance += difference * difference;
    }
    if (distance > state.best) continue;
    const int64_t i = order_[static_cast<size_t>(k)];
    if (i == state.excluded || (distance == state.best && i > state.found)) continue;
    state.best = distance;
    state.found = i;
  }
}

/// `from_box` is the squared distance from the query to the box of this node: the sum of the
/// squared offsets. One step down changes one of them.
void KdTree::search(int32_t number, double from_box, Search& state) const {
  const Node& node = nodes_[static_cast<size_t>(number)];
  if (node.dimension < 0) {
    search_leaf(node, state);
    return;
  }
  // Points equal to the split may be on either side.
  const auto dimension = static_cast<size_t>(node.dimension);
  const double offset = static_cast<double>(state.query[dimension]) - node.split;
  const int32_t left = number + 1;
  search(offset < 0 ? left : node.right, from_box, state);
  const double before = state.offsets[dimension];
  const double beyond = from_box - before * before + offset * offset;
  if (beyond * (1 - kSlack) > state.best) return;
  state.offsets[dimension] = offset;
  search(offset < 0 ? node.right : left, beyond, state);
  state.offsets[dimension] = before;
}

}  // namespace adassl::data
