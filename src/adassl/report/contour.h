#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Contours of a sampled function, by marching squares.
namespace adassl::report {

struct Point {
  double x;
  double y;
};

/// Values at the points (column, row) = (0 ... columns - 1, 0 ... rows - 1), row after row.
struct Grid {
  int64_t columns;
  int64_t rows;
  std::vector<double> values;

  /// 0 outside, so that every contour is closed.
  double at(int64_t column, int64_t row) const {
    if (column < 0 || row < 0 || column >= columns || row >= rows) return 0;
    return values[static_cast<size_t>(row * columns + column)];
  }
};

/// A closed polygon; its first point is not repeated. What is above the level lies to the left, so
/// an outer boundary has a positive area and a hole a negative one.
using Loop = std::vector<Point>;

/// The boundary of {value >= level}; the level must be positive.
std::vector<Loop> contour(const Grid& grid, double level);

double signed_area(const Loop& loop);

/// A Gaussian blur, `sigma` in cells; keeps the total, except for what is blurred across the
/// border.
Grid smoothed(const Grid& grid, double sigma);

/// The level whose region {value >= level} is the smallest that holds this share of the total; 0
/// for an empty grid.
double level_of_share(const Grid& grid, double share);

}  // namespace adassl::report
