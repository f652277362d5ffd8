#include "adassl/render/blocker.h"

#include <limits>

#include <embree3/rtcore.h>

#include "adassl/core/error.h"

namespace adassl::render {

struct Blocker::Tree {
  RTCDevice device = nullptr;
  RTCScene scene = nullptr;

  Tree() = default;
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  ~Tree() {
    if (scene != nullptr) rtcReleaseScene(scene);
    if (device != nullptr) rtcReleaseDevice(device);
  }
};

namespace {

void require(RTCDevice device) {
  const RTCError code = rtcGetDeviceError(device);
  if (code != RTC_ERROR_NONE) throw Failure(join("[embree] failed with the error ", int{code}));
}

/// Copies a vector into a buffer that Embree makes, which ends with the padding it wants.
template <class T>
void fill(RTCGeometry geometry, RTCBufferType type, RTCFormat format, const std::vector<T>& from) {
  static_assert(sizeof(T) == 12);
  void* to = rtcSetNewGeometryBuffer(geometry, type, 0, format, sizeof(T), from.size());
  if (to != nullptr) std::copy(from.begin(), from.end(), static_cast<T*>(to));
}

RTCRay ray_of(Vec3 origin, Vec3 direction, float distance) {
  RTCRay ray{};
  ray.org_x = origin.x;
  ray.org_y = origin.y;
  ray.org_z = origin.z;
  ray.dir_x = direction.x;
  ray.dir_y = direction.y;
  ray.dir_z = direction.z;
  ray.tfar = distance;
  ray.mask = ~0U;
  return ray;
}

}  // namespace

Blocker::Blocker(const Mesh& mesh) : tree_(std::make_unique<Tree>()) {
  // The tree is small, and is built on one thread so that it is always the same.
  tree_->device = rtcNewDevice("threads=1");
  if (tree_->device == nullptr) require(nullptr);
  tree_->scene = rtcNewScene(tree_->device);
  RTCGeometry geometry = rtcNewGeometry(tree_->device, RTC_GEOMETRY_TYPE_TRIANGLE);
  fill(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, mesh.points);
  fill(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3, mesh.triangles);
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(tree_->scene, geometry);
  rtcReleaseGeometry(geometry);
  rtcCommitScene(tree_->scene);
  require(tree_->device);
}

Blocker::~Blocker() = default;

Blocker::Hit Blocker::first(Vec3 origin, Vec3 direction) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRayHit ray{};
  ray.ray = ray_of(origin, direction, std::numeric_limits<float>::infinity());
  ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(tree_->scene, &context, &ray);
  if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID) return {};
  return {true, ray.ray.tfar, ray.hit.primID, ray.hit.u, ray.hit.v};
}

bool Blocker::is_between(Vec3 origin, Vec3 direction, float distance) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRay ray = ray_of(origin, direction, distance);
  rtcOccluded1(tree_->scene, &context, &ray);
  return ray.tfar < 0;  // Embree answers with minus infinity
}

}  // namespace adassl::render
