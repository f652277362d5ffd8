#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

/// Three numbers: a point, a direction or a colour; and rotations of them.
namespace adassl::render {

constexpr float kPi = std::numbers::pi_v<float>;

struct Vec3 {
  float x = 0;
  float y = 0;
  float z = 0;

  bool operator==(const Vec3&) const = default;
};

constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
constexpr Vec3 operator*(Vec3 a, Vec3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
constexpr Vec3 operator*(float s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
constexpr Vec3& operator+=(Vec3& a, Vec3 b) { return a = a + b; }

constexpr float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float length(Vec3 a) { return std::sqrt(dot(a, a)); }
inline Vec3 normalised(Vec3 a) { return 1 / length(a) * a; }

constexpr Vec3 least(Vec3 a, Vec3 b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
constexpr Vec3 greatest(Vec3 a, Vec3 b) {
  return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}

/// A rotation as the images of the three axes.
struct Rotation {
  Vec3 x{1, 0, 0};
  Vec3 y{0, 1, 0};
  Vec3 z{0, 0, 1};

  constexpr Vec3 apply(Vec3 v) const { return v.x * x + v.y * y + v.z * z; }
  constexpr Vec3 undo(Vec3 v) const { return {dot(x, v), dot(y, v), dot(z, v)}; }
};

/// Euler angles in the order XYZ: R = Rz(c) Ry(b) Rx(a).
inline Rotation euler(Vec3 angles) {
  const float sa = std::sin(angles.x), ca = std::cos(angles.x);
  const float sb = std::sin(angles.y), cb = std::cos(angles.y);
  const float sc = std::sin(angles.z), cc = std::cos(angles.z);
  return {{cc * cb, sc * cb, -sb},
          {cc * sb * sa - sc * ca, sc * sb * sa + cc * ca, cb * sa},
          {cc * sb * ca + sc * sa, sc * sb * ca - cc * sa, cb * ca}};
}

/// Two directions at right angles to a unit vector and to each other.
struct Basis {
  Vec3 u;
  Vec3 v;
};

inline Basis basis_of(Vec3 n) {
  const Vec3 other = std::abs(n.x) < 0.6F ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 u = normalised(cross(other, n));
  return {u, cross(n, u)};
}

}  // namespace adassl::render
