#include "adassl/report/label_places.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace adassl::report {
namespace {

constexpr int kDirections = 16;
constexpr int kPasses = 12;  // a few are usually enough; the limit ends cycles
constexpr double kGap = 4;   // between a mark and its name
constexpr double kAir = 3;   // between a name and a line
// The costs of a place, in pixels: a name moves this much farther from its point to avoid them.
constexpr double kOnName = 1e6, kOnMark = 150, kThreaded = 20, kOnLine = 6, kLinePixel = 1.2;

/// The box of a name, and the thread: the line that connects it to its mark.
struct Place {
  Box box;
  Segment thread;
};

struct Candidate : Place {
  double cost;
};

/// The length of the segment within the box (Liang-Barsky clipping).
double length_within(const Segment& segment, const Box& box) {
  const double dx = segment.to.x - segment.from.x, dy = segment.to.y - segment.from.y;
  double enter = 0, leave = 1;
  const auto clip = [&](double speed, double room) {  // speed * t <= room
    if (speed == 0) {
      if (room < 0) leave = -1;
    } else if (speed > 0) {
      leave = std::min(leave, room / speed);
    } else {
      enter = std::max(enter, room / speed);
    }
  };
  clip(-dx, segment.from.x - box.left);
  clip(dx, box.right - segment.from.x);
  clip(-dy, segment.from.y - box.top);
  clip(dy, box.bottom - segment.from.y);
  return leave > enter ? (leave - enter) * std::hypot(dx, dy) : 0;
}

Box moved_into(Box box, const Box& within) {
  const double right =
      std::max(0.0, within.left - box.left) - std::max(0.0, box.right - within.right);
  const double down =
      std::max(0.0, within.top - box.top) - std::max(0.0, box.bottom - within.bottom);
  return {box.left + right, box.top + down, box.right + right, box.bottom + down};
}

/// The box of a name in one direction, `away` pixels farther from its mark than necessary.
Box box_at(const Anchor& anchor, double angle, double away) {
  const Point to{std::cos(angle), -std::sin(angle)};
  const double reach = anchor.radius + kGap + away;
  // Sideways and diagonal names touch with an end, those above and below with their middle.
  const double half = anchor.width / 2 * std::clamp(2 * to.x, -1.0, 1.0);
  const double rise = kLabelHeight / 2 * std::clamp(1.4 * to.y, -1.0, 1.0);
  const Point c{anchor.at.x + to.x * reach + half, anchor.at.y + to.y * reach + rise};
  return {c.x - anchor.width / 2, c.y - kLabelHeight / 2, c.x + anchor.width / 2,
          c.y + kLabelHeight / 2};
}

bool holds(const Box& box, const Point& point) {
  return point.x > box.left && point.x < box.right && point.y > box.top && point.y < box.bottom;
}

bool cross(const Segment& a, const Segment& b) {
  const auto side = [](const Segment& line, const Point& point) {
    return (line.to.x - line.from.x) * (point.y - line.from.y) -
           (line.to.y - line.from.y) * (point.x - line.from.x);
  };
  return side(a, b.from) * side(a, b.to) < 0 && side(b, a.from) * side(b, a.to) < 0;
}

/// From the mark's rim to the nearest point of its name.
Segment thread_of(const Anchor& anchor, const Box& box) {
  const Point to{std::clamp(anchor.at.x, box.left, box.right),
                 std::clamp(anchor.at.y, box.top, box.bottom)};
  const double length = std::hypot(to.x - anchor.at.x, to.y - anchor.at.y);
  const double share = length > anchor.radius ? anchor.radius / length : 1;
  return {{anchor.at.x + share * (to.x - anchor.at.x), anchor.at.y + share * (to.y - anchor.at.y)},
          to};
}

/// The cost of what a name hides at this place, and of what its thread crosses.
double drawing_in_the_way(const Anchor& anchor, const Box& box, const Segment& thread,
                          const Obstacles& obstacles) {
  double cost = 0;
  for (const Box& mark : obstacles.marks) {
    if (overlap(box, mark)) cost += kOnMark;
    if (!holds(mark, anchor.at) && length_within(thread, mark) > 0) cost += kThreaded;
  }
  const Box air{box.left - kAir, box.top - kAir, box.right + kAir, box.bottom + kAir};
  for (const Segment& line : obstacles.lines) {
    const double hidden = length_within(line, air);
    if (hidden > 0) cost += kOnLine + kLinePixel * hidden;
    if (cross(thread, line)) cost += kThreaded;
  }
  return cost;
}

/// All candidate places for a name, with their costs if there were no other names.
std::vector<Candidate> candidates_of(const Anchor& anchor, const Obstacles& obstacles,
                                     const Box& within) {
  std::vector<Candidate> out;
  const double farthest = std::max(within.right - within.left, within.bottom - within.top);
  for (double away = 0; away == 0 || away < farthest; away = away * 1.25 + 5) {
    for (int k = 0; k < kDirections; ++k) {
      const double angle = 2 * std::numbers::pi * k / kDirections;
      const Box wanted = box_at(anchor, angle, away);
      const Box box = moved_into(wanted, within);
      const double pushed = std::abs(box.left - wanted.left) + std::abs(box.top - wanted.top);
      // Names on the right read best, then those on the left, then those near the horizontal.
      const double taste = 3 * (1 - std::cos(angle)) / 2 + 4 * std::abs(std::sin(angle));
      const Segment thread = thread_of(anchor, box);
      out.push_back(
          {{box, thread},
           away + 2 * pushed + taste + drawing_in_the_way(anchor, box, thread, obstacles)});
    }
  }
  return out;
}

Place best_of(const std::vector<Candidate>& candidates, const std::vector<Place>& places,
              size_t own) {
  double least = std::numeric_limits<double>::infinity();
  Place out = places[own];
  for (const Candidate& candidate : candidates) {
    double cost = candidate.cost;
    for (size_t i = 0; i < places.size() && cost < least; ++i) {
      if (i == own) continue;
      if (overlap(candidate.box, places[i].box)) cost += kOnName;
      if (length_within(candidate.thread, places[i].box) > 0) cost += kThreaded;
      if (length_within(places[i].thread, candidate.box) > 0) cost += kThreaded;
    }
    if (cost >= least) continue;
    least = cost;
    out = candidate;
  }
  return out;
}

}  // namespace

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

std::vector<Box> label_places(const std::vector<Anchor>& anchors, const Obstacles& obstacles,
                              const Box& within) {
  std::vector<std::vector<Candidate>> candidates;
  std::vector<Place> places;
  for (const Anchor& anchor : anchors) {
    candidates.push_back(candidates_of(anchor, obstacles, within));
    places.push_back(candidates.back().front());
  }
  // Each name in turn takes its best place given all others, until none moves.
  for (int pass = 0; pass < kPasses; ++pass) {
    bool settled = true;
    for (size_t i = 0; i < anchors.size(); ++i) {
      const Place place = best_of(candidates[i], places, i);
      settled =
          settled && place.box.left == places[i].box.left && place.box.top == places[i].box.top;
      places[i] = place;
    }
    if (settled) break;
  }
  std::vector<Box> out;
  for (const Place& place : places) out.push_back(place.box);
  return out;
}

}  // namespace adassl::report
