#include "adassl/render/dataset.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "adassl/core/error.h"
#include "adassl/core/text.h"
#include "adassl/storage/checksum.h"

namespace adassl::render {
namespace {

/// A number that identifies the shape of an object.
uint64_t checksum(const Object& object) {
  const auto points = std::as_bytes(std::span(object.mesh.points));
  const auto triangles = std::as_bytes(std::span(object.mesh.triangles));
  return storage::short_sum(points) ^ (3 * storage::short_sum(triangles));
}

void require_range(const char* option, int64_t value, int64_t least, int64_t most) {
  ADASSL_CHECK(value >= least && value <= most, "[render] ", option, ": expected ", least, " to ",
               most, ", got ", value);
}

}  // namespace

void require_valid(const DatasetOptions& options) {
  constexpr int64_t kMostPictures = 100'000'000;
  require_range("count", options.count, 1, kMostPictures);
  require_range("test-count", options.test_count, 0, kMostPictures);
  require_range("size", options.quality.size, 4, 4096);
  require_range("samples", options.quality.samples, 1, 65536);
  require_range("shadow-rays", options.quality.shadow_rays, 1, 4096);
}

std::array<Part, 2> parts_of(const DatasetOptions& options) {
  return {Part{"train", options.count}, Part{"test", options.test_count}};
}

std::vector<Factors> draw_factors(uint64_t seed, const Part& part) {
  const random::Stream stream(seed, "teapots factors " + part.name);
  std::vector<Factors> out;
  for (int64_t i = 0; i < part.count; ++i) {
    out.push_back(draw_factors(stream.at(static_cast<uint32_t>(i))));
  }
  return out;
}

storage::Image picture(const Object& object, const DatasetOptions& options, const Part& part,
                       int64_t i) {
  const random::Stream factors(options.seed, "teapots factors " + part.name);
  const random::Stream noise(options.seed, "teapots noise " + part.name, static_cast<uint64_t>(i));
  const Factors raw = draw_factors(factors.at(static_cast<uint32_t>(i)));
  return render(make_scene(object, raw), options.quality, noise);
}

std::string file_name(int64_t i, int64_t count) {
  size_t digits = 1;
  for (int64_t power = 10; power < count; power *= 10) ++digits;
  return fmt::format("{:0{}}.png", i, digits);
}

std::string description(const Object& object, const DatasetOptions& options, bool is_complete) {
  constexpr int kVersion = 1;  // of what the pictures of given factors look like
  const nlohmann::ordered_json json = {{"scene", "teapots"},
                                       {"version", kVersion},
                                       {"mesh", text::hex(checksum(object))},
                                       {"train", options.count},
                                       {"test", options.test_count},
                                       {"seed", options.seed},
                                       {"size", options.quality.size},
                                       {"samples", options.quality.samples},
                                       {"shadow_rays", options.quality.shadow_rays},
                                       {"complete", is_complete}};
  return json.dump() + "\n";
}

}  // namespace adassl::render
