#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace adassl::data {

/// Finds the exact nearest neighbour among points of a few dimensions. Of equally near points the
/// one with the smallest number is found, so that the answer does not depend on the tree.
class KdTree {
 public:
  /// `points` is [count, width] and finite.
  KdTree(std::vector<float> points, int64_t width);

  int64_t count() const { return static_cast<int64_t>(order_.size()); }
  std::span<const float> point(int64_t i) const { return at(place_[static_cast<size_t>(i)]); }
  /// The point with the smallest Euclidean distance to `query`, which is finite, other than number
  /// `excluded`; -1 if there is no other.
  int64_t nearest(std::span<const float> query, int64_t excluded) const;

 private:
  struct Search;
  struct Node {
    int32_t dimension;  // -1: a leaf
    float split;
    int32_t right;  // the number of the right child; the left one is the next node
    int32_t begin, end;
  };
  std::span<const float> at(int64_t place) const {
    return std::span(points_).subspan(static_cast<size_t>(place * width_),
                                      static_cast<size_t>(width_));
  }
  void build(int32_t begin, int32_t end);
  void arrange();
  void search(int32_t node, double from_box, Search& state) const;
  void search_leaf(const Node& node, Search& state) const;

  int64_t width_;
  std::vector<float> points_;   // in the order of the tree, so that a leaf is one piece of memory
  std::vector<int32_t> order_;  // the number of the point at each place; a leaf has a range of them
  std::vector<int32_t> place_;  // of each point
  std::vector<Node> nodes_;
};

}  // namespace adassl::data
