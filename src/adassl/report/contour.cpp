#include "adassl/report/contour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "adassl/core/error.h"

namespace adassl::report {
namespace {

/// An edge between two grid points: to the right or upwards from (column, row).
struct Edge {
  int64_t column, row;
  bool upwards;
  auto operator<=>(const Edge&) const = default;
};

/// The edges of the cell with lower left corner (c, r): bottom, right, top, left.
std::array<Edge, 4> edges_of(int64_t c, int64_t r) {
  return {Edge{c, r, false}, Edge{c + 1, r, true}, Edge{c, r + 1, false}, Edge{c, r, true}};
}

Point crossing(const Grid& grid, const Edge& edge, double level) {
  const double first = grid.at(edge.column, edge.row);
  const double second =
      edge.upwards ? grid.at(edge.column, edge.row + 1) : grid.at(edge.column + 1, edge.row);
  const double share = (level - first) / (second - first);
  const auto x = static_cast<double>(edge.column), y = static_cast<double>(edge.row);
  return edge.upwards ? Point{x, y + share} : Point{x + share, y};
}

/// From which edge to which the contour crosses a cell, the region above the level on its left.
/// Edges count counter-clockwise from the bottom, corners from the lower left. The contour enters
/// through an edge whose ends go (above, below) and leaves where they go (below, above).
void add_segments(const std::array<bool, 4>& above, bool centre_above,
                  const std::array<Edge, 4>& edges, std::map<Edge, Edge>& next) {
  std::vector<size_t> entries, exits;
  for (size_t k = 0; k < 4; ++k) {
    const bool here = above[k], there = above[(k + 1) % 4];
    if (here && !there) entries.push_back(k);
    if (!here && there) exits.push_back(k);
  }
  for (const size_t entry : entries) {
    size_t exit = exits.front();
    if (exits.size() == 2) {
      // A saddle: with a high centre the two high corners are joined, and the contour cuts off the
      // low corner that follows its entry; with a low centre it cuts off the high one before.
      exit = centre_above ? (entry + 1) % 4 : (entry + 3) % 4;
    }
    next[edges[entry]] = edges[exit];
  }
}

std::vector<double> gaussian_weights(double sigma) {
  const auto radius = static_cast<int64_t>(std::ceil(3 * sigma));
  std::vector<double> weights;
  for (int64_t k = -radius; k <= radius; ++k) {
    const double t = static_cast<double>(k) / sigma;
    weights.push_back(std::exp(-0.5 * t * t));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace

std::vector<Loop> contour(const Grid& grid, double level) {
  ADASSL_CHECK(level > 0, "[contour] expected a positive level, got ", level);
  std::map<Edge, Edge> next;
  for (int64_t r = -1; r < grid.rows; ++r) {
    for (int64_t c = -1; c < grid.columns; ++c) {
      const std::array<double, 4> corners = {grid.at(c, r), grid.at(c + 1, r),
                                             grid.at(c + 1, r + 1), grid.at(c, r + 1)};
      std::array<bool, 4> above{};
      for (size_t k = 0; k < 4; ++k) above[k] = corners[k] >= level;
      const double centre = std::accumulate(corners.begin(), corners.end(), 0.0) / 4;
      add_segments(above, centre >= level, edges_of(c, r), next);
    }
  }
  std::vector<Loop> loops;
  while (!next.empty()) {
    Loop loop;
    for (auto at = next.begin(); at != next.end();) {
      loop.push_back(crossing(grid, at->first, level));
      const Edge following = at->second;
      next.erase(at);
      at = next.find(following);
    }
    loops.push_back(std::move(loop));
  }
  return loops;
}

double signed_area(const Loop& loop) {
  double twice = 0;
  for (size_t i = 0; i < loop.size(); ++i) {
    const Point& a = loop[i];
    const Point& b = loop[(i + 1) % loop.size()];
    twice += a.x * b.y - b.x * a.y;
  }
  return twice / 2;
}

Grid smoothed(const Grid& grid, double sigma) {
  const std::vector<double> weights = gaussian_weights(sigma);
  const auto radius = static_cast<int64_t>(weights.size() / 2);
  Grid along = grid, out = grid;
  for (int64_t r = 0; r < grid.rows; ++r) {
    for (int64_t c = 0; c < grid.columns; ++c) {
      double sum = 0;
      for (int64_t k = -radius; k <= radius; ++k) {
        sum += weights[static_cast<size_t>(k + radius)] * grid.at(c + k, r);
      }
      along.values[static_cast<size_t>(r * grid.columns + c)] = sum;
    }
  }
  for (int64_t r = 0; r < grid.rows; ++r) {
    for (int64_t c = 0; c < grid.columns; ++c) {
      double sum = 0;
      for (int64_t k = -radius; k <= radius; ++k) {
        sum += weights[static_cast<size_t>(k + radius)] * along.at(c, r + k);
      }
      out.values[static_cast<size_t>(r * grid.columns + c)] = sum;
    }
  }
  return out;
}

double level_of_share(const Grid& grid, double share) {
  std::vector<double> sorted = grid.values;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const double wanted = share * std::accumulate(sorted.begin(), sorted.end(), 0.0);
  double sum = 0;
  for (const double value : sorted) {
    sum += value;
    if (sum >= wanted) return value;
  }
  return 0;
}

}  // namespace adassl::report
