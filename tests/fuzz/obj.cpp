#include <cmath>

#include "adassl/render/mesh.h"
#include "fuzz/harness.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adassl;
  const std::string text(fuzz::text_of(data, size));
  fuzz::accepted([&] {
    const render::Mesh mesh = render::parse_obj(text, "input");
    fuzz::require(!mesh.triangles.empty(), "a mesh has triangles");
    fuzz::require(mesh.normals.size() == mesh.points.size(), "each point has a normal");
    for (const auto& triangle : mesh.triangles) {
      for (const uint32_t corner : triangle) {
        fuzz::require(corner < mesh.points.size(), "corners are points");
      }
    }
    for (const render::Vec3 normal : mesh.normals) {
      fuzz::require(std::abs(render::length(normal) - 1) < 1e-3F, "normals have the length 1");
    }
  });
  return 0;
}
