#pragma once

#include <cstdint>
#include <memory>

#include "adassl/render/mesh.h"

namespace adassl::render {

/// A mesh in Embree's search tree: which triangle does a ray meet first, and is there one between
/// two points? Several threads may ask at once; they should flush denormals to zero, as Embree
/// advises and kernels::parallel_for does.
class Blocker {
 public:
  explicit Blocker(const Mesh& mesh);
  ~Blocker();
  Blocker(const Blocker&) = delete;
  Blocker& operator=(const Blocker&) = delete;

  struct Hit {
    bool found = false;
    float distance = 0;
    uint32_t triangle = 0;
    float u = 0;  // weight of the triangle's second corner
    float v = 0;  // and of its third
  };

  /// Directions have the length 1.
  Hit first(Vec3 origin, Vec3 direction) const;
  bool is_between(Vec3 origin, Vec3 direction, float distance) const;

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

}  // namespace adassl::render
