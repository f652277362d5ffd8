#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "adassl/render/vector.h"

/// Triangles with smooth normals.
namespace adassl::render {

struct Mesh {
  std::vector<Vec3> points;
  std::vector<Vec3> normals;  // of the points, of length 1
  std::vector<std::array<uint32_t, 3>> triangles;
};

struct Extents {
  Vec3 low;
  Vec3 high;
  float largest() const {
    const Vec3 d = high - low;
    return std::max({d.x, d.y, d.z});
  }
};

Extents extents_of(const Mesh& mesh);

/// Reads points and faces of a Wavefront OBJ file; other lines are skipped, polygons are cut into
/// triangles. Points at the same place are joined and faces without an area are left out. The
/// normal of a point is the mean of those around it, each weighted by the angle that its triangle
/// has there. Error when the file is no such file.
Mesh read_obj(const std::filesystem::path& path);
/// The same for a file in memory. `where` names it in messages.
Mesh parse_obj(const std::string& text, const std::string& where);

/// A teapot in the position and size of 3DIdent: the y axis of Newell's data set points upwards
/// (becomes z), the scale is 0.63469, the spout is turned to (1, -1), and everything is lowered by
/// 0.9067 and then scaled by 1.5.
Mesh placed_teapot(Mesh mesh);

}  // namespace adassl::render
