#include "adassl/data/moving_digit.h"

#include <algorithm>
#include <cmath>

#include "adassl/data/mnist.h"

namespace adassl::data {
namespace {

constexpr int64_t kSide = Digits::kSide;
constexpr double kNearestStart = 8;
constexpr double kFarthestStart = 16;
constexpr double kFastest = 3;
constexpr double kRelativeDeviation = 2.0 / 3;

/// Adds weight * digit with its upper left corner at a whole pixel.
void add_patch(std::span<const float> digit, int64_t left, int64_t top, float weight,
               std::span<float> frame) {
  const int64_t first_x = std::max<int64_t>(0, -left);
  const int64_t last_x = std::min(kSide, kCanvas - left);
  const int64_t last_y = std::min(kSide, kCanvas - top);
  for (int64_t y = std::max<int64_t>(0, -top); y < last_y; ++y) {
    for (int64_t x = first_x; x < last_x; ++x) {
      frame[static_cast<size_t>((top + y) * kCanvas + left + x)] +=
          weight * digit[static_cast<size_t>(y * kSide + x)];
    }
  }
}

void add_shared(std::span<const float> digit, const Vector& corner, std::span<float> frame) {
  const auto left = static_cast<int64_t>(std::floor(corner[0]));
  const auto top = static_cast<int64_t>(std::floor(corner[1]));
  const double right_share = corner[0] - static_cast<double>(left);
  const double lower_share = corner[1] - static_cast<double>(top);
  for (const int64_t dy : {0, 1}) {
    for (const int64_t dx : {0, 1}) {
      const double share =
          (dx == 1 ? right_share : 1 - right_share) * (dy == 1 ? lower_share : 1 - lower_share);
      add_patch(digit, left + dx, top + dy, static_cast<float>(share), frame);
    }
  }
  // The four shares may sum to a rounding error above 1.
  for (float& value : frame) value = std::min(value, 1.0F);
}

}  // namespace

Start draw_start(random::Sequence& draws) {
  Start start;
  for (double& p : start.centre) {
    p = kNearestStart + (kFarthestStart - kNearestStart) * draws.uniform();
  }
  for (double& v : start.velocity) v = kFastest * draws.uniform();
  return start;
}

Turn draw_turn(const Start& start, double chance_of_y, random::Sequence& draws) {
  Turn turn{draws.bernoulli(chance_of_y) ? 1 : 0, start.velocity};
  double& changed = turn.velocity[static_cast<size_t>(turn.axis)];
  changed += kRelativeDeviation * changed * draws.normal();
  return turn;
}

Vector position(const Start& start, const Turn& turn, int64_t frame) {
  const auto before = static_cast<double>(std::min(frame, kSegment) - 1);
  const auto after = static_cast<double>(std::max<int64_t>(0, frame - kSegment));
  Vector out{};
  for (size_t k = 0; k < out.size(); ++k) {
    out[k] = start.centre[k] + before * start.velocity[k] + after * turn.velocity[k];
  }
  return out;
}

void draw_digit(std::span<const float> digit, const Vector& centre, Placement placement,
                std::span<float> frame) {
  constexpr double kHalf = kSide / 2.0;
  const Vector corner = {centre[0] - kHalf, centre[1] - kHalf};
  if (placement == Placement::kBilinear) {
    add_shared(digit, corner, frame);
    return;
  }
  add_patch(digit, static_cast<int64_t>(std::floor(corner[0] + 0.5)),
            static_cast<int64_t>(std::floor(corner[1] + 0.5)), 1, frame);
}

void draw_segment(std::span<const float> digit, const Start& start, const Turn& turn,
                  int64_t segment, Placement placement, std::span<float> out) {
  constexpr size_t kPixels = kCanvas * kCanvas;
  std::ranges::fill(out, 0.0F);
  for (int64_t t = 0; t < kSegment; ++t) {
    draw_digit(digit, position(start, turn, segment * kSegment + t + 1), placement,
               out.subspan(static_cast<size_t>(t) * kPixels, kPixels));
  }
}

}  // namespace adassl::data
