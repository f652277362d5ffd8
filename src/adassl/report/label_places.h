#pragma once

#include <vector>

#include "adassl/report/contour.h"

/// Where the names of points stand in a picture: beside them, and over nothing else.
namespace adassl::report {

/// On the page, so that y runs downwards.
struct Box {
  double left, top, right, bottom;
  Point centre() const { return {(left + right) / 2, (top + bottom) / 2}; }
};
bool overlap(const Box& a, const Box& b);

struct Segment {
  Point from, to;
};

/// A point that wants its name beside it.
struct Anchor {
  Point at;
  double radius;  // of the mark that is drawn there
  double width;   // of the name
};

/// What names should not hide: marks strictly, lines if there is a choice.
struct Obstacles {
  std::vector<Box> marks;
  std::vector<Segment> lines;
};

inline constexpr double kLabelHeight = 15;

/// One box for each anchor, within the bounds as far as these have room. Names do not overlap
/// unless the picture is full; they stay beside their points, to the right where that is free, and
/// go further away only to avoid what is drawn.
std::vector<Box> label_places(const std::vector<Anchor>& anchors, const Obstacles& obstacles,
                              const Box& within);

}  // namespace adassl::report
