#include "adassl/render/picture.h"

#include <array>
#include <vector>

namespace adassl::render {
namespace {

/// g^-1, ..., g^-6 as fractions of 32 bits, g the root of g^7 = g + 1.
constexpr std::array<uint32_t, 6> make_steps() {
  constexpr double kRoot = 1.1127756842787055;
  std::array<uint32_t, 6> out{};
  double power = 1;
  for (uint32_t& step : out) {
    power /= kRoot;
    step = static_cast<uint32_t>(power * 0x1p32);
  }
  return out;
}

constexpr std::array<uint32_t, 6> kSteps = make_steps();

/// Points in the unit cube of six dimensions that fill it evenly, from whichever one begins:
///   point j = fraction(shift + j (g^-1, g^-2, ..., g^-6)),   g the root of g^7 = g + 1
/// (Roberts' additive sequence). Fractions are kept as 32 bits, which wrap around by themselves.
class Points {
 public:
  explicit Points(random::Sequence draws) {
    for (uint32_t& shift : shifts_) shift = draws.bits();
  }

  float at(int64_t j, size_t dimension) const {
    const uint32_t bits = shifts_[dimension] + static_cast<uint32_t>(j) * kSteps[dimension];
    return static_cast<float>(bits >> 8) * 0x1p-24F;  // 24 bits are exact, and below 1
  }

 private:
  std::array<uint32_t, 6> shifts_;
};

/// What a surface sends to the eye of what arrives from a light.
Vec3 light_from(const Scene& scene, const Surface& surface, const LightAt& light) {
  const Vec3 e = light.irradiance;
  if (e.x + e.y + e.z <= 0) return {};
  const Vec3 out = reflected(surface, light.direction) * e;
  if (out == Vec3{} || is_in_shadow(scene, surface, light.direction, light.distance)) return {};
  return out;
}

/// What a surface sends to the eye in sample s. The spotlight, whose shadows are the clear ones, is
/// asked `shadow_rays` times.
Vec3 light_of(const Scene& scene, const Surface& surface, const Points& points, int64_t s,
              int64_t shadow_rays) {
  constexpr float kFar = 1e6F;
  constexpr Vec3 kSun{kSunStrength, kSunStrength, kSunStrength};
  Vec3 sum =
      light_from(scene, surface, {kSunDirection, kFar, kSun}) +
      light_from(scene, surface, scene.area.at(surface.point, points.at(s, 4), points.at(s, 5)));
  if (!scene.spot.may_reach(surface.point)) return sum;
  const float share = 1 / static_cast<float>(shadow_rays);
  for (int64_t j = s * shadow_rays; j < (s + 1) * shadow_rays; ++j) {
    const LightAt light = scene.spot.at(surface.point, points.at(j, 2), points.at(j, 3));
    sum += share * light_from(scene, surface, light);
  }
  return sum;
}

/// All that the pixels of a picture share.
struct Eye {
  const Scene& scene;
  const Quality& quality;
  Camera camera;
  Frame frame;
};

/// Sample s of the pixel at (x, y).
Vec3 sample(const Eye& eye, int64_t x, int64_t y, const Points& points, int64_t s) {
  const float pixel = 1 / static_cast<float>(eye.quality.size);
  const float u = pixel * (static_cast<float>(x) + points.at(s, 0));
  const float row = pixel * (static_cast<float>(y) + points.at(s, 1));
  const Surface surface =
      seen(eye.scene, eye.camera, eye.camera.direction(u, row), eye.frame.contains(u, row));
  return light_of(eye.scene, surface, points, s, eye.quality.shadow_rays);
}

/// The samples of a pixel so far.
struct Gathered {
  Vec3 sum;
  Vec3 low;
  Vec3 high;
  int64_t count = 0;

  void add(Vec3 light) {
    sum += light;
    low = count == 0 ? light : least(low, light);
    high = count == 0 ? light : greatest(high, light);
    ++count;
  }
};

/// Adds the samples up to number `count`.
void gather(const Eye& eye, int64_t x, int64_t y, int64_t count, const random::Stream& noise,
            Gathered& out) {
  const Points points(noise.at(static_cast<uint32_t>(y * eye.quality.size + x)));
  while (out.count < count) out.add(sample(eye, x, y, points, out.count));
}

/// Whether the samples of a pixel and of those around it are alike: there is no edge and no
/// penumbra. The pixel's own samples alone would often miss one that they have a small part in.
bool is_smooth(const std::vector<Gathered>& pixels, int64_t size, int64_t x, int64_t y) {
  const Gathered& own = pixels[static_cast<size_t>(y * size + x)];
  Vec3 low = own.low;
  Vec3 high = own.high;
  for (int64_t row = std::max<int64_t>(y - 1, 0); row <= std::min(y + 1, size - 1); ++row) {
    for (int64_t at = std::max<int64_t>(x - 1, 0); at <= std::min(x + 1, size - 1); ++at) {
      const Gathered& other = pixels[static_cast<size_t>(row * size + at)];
      low = least(low, other.low);
      high = greatest(high, other.high);
    }
  }
  const auto small = [](float difference, float value) {
    return difference <= 0.003F + 0.12F * value;
  };
  const Vec3 range = high - low;
  return small(range.x, high.x) && small(range.y, high.y) && small(range.z, high.z);
}

}  // namespace

uint8_t srgb(float light) {
  const float linear = std::clamp(light, 0.0F, 1.0F);
  const float encoded =
      linear <= 0.0031308F ? 12.92F * linear : 1.055F * std::pow(linear, 1 / 2.4F) - 0.055F;
  return static_cast<uint8_t>(std::lround(255 * encoded));
}

storage::Image render(const Scene& scene, const Quality& quality, const random::Stream& noise) {
  const Eye eye{scene, quality, {}, frame_of(scene, {})};
  const int64_t size = quality.size;
  std::vector<Gathered> first(static_cast<size_t>(size * size));
  for (int64_t p = 0; p < size * size; ++p) {
    gather(eye, p % size, p / size, std::min(quality.first, quality.samples), noise,
           first[static_cast<size_t>(p)]);
  }
  storage::Image out = storage::make_image(size, size, 3);
  for (int64_t p = 0; p < size * size; ++p) {
    Gathered all = first[static_cast<size_t>(p)];
    if (!is_smooth(first, size, p % size, p / size)) {
      gather(eye, p % size, p / size, quality.samples, noise, all);
    }
    const Vec3 mean = 1 / static_cast<float>(all.count) * all.sum;
    uint8_t* rgb = &out.pixels[static_cast<size_t>(3 * p)];
    rgb[0] = srgb(mean.x);
    rgb[1] = srgb(mean.y);
    rgb[2] = srgb(mean.z);
  }
  return out;
}

}  // namespace adassl::render
