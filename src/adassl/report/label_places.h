#pragma once

#include <vector>

#include "adassl/report/contour.h"

/// Places the names of points in a picture beside the points, without hiding anything else.
namespace adassl::report {

/// A rectangle in page coordinates: y runs downwards.
struct Box {
  double left, top, right, bottom;
  Point centre() const { return {(left + right) / 2, (top + bottom) / 2}; }
};
bool overlap(const Box& a, const Box& b);

struct Segment {
  Point from, to;
};

/// A point that needs a name beside it.
struct Anchor {
  Point at;
  double radius;  // of the mark that is drawn there
  double width;   // of the name
};

/// What names should not hide: marks with high priority, lines with low priority.
struct Obstacles {
  std::vector<Box> marks;
  std::vector<Segment> lines;
};

inline constexpr double kLabelHeight = 15;

/// One box for each anchor, within the bounds as far as there is room. Names do not overlap unless
/// the picture is full; they stay beside their points, to the right where that is free, and go
/// further away only to avoid what is drawn.
std::vector<Box> label_places(const std::vector<Anchor>& anchors, const Obstacles& obstacles,
                              const Box& within);

}  // namespace adassl::report
