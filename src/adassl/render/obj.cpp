#include <charconv>
#include <map>
#include <string_view>
#include <tuple>

#include "adassl/core/error.h"
#include "adassl/render/mesh.h"
#include "adassl/storage/csv.h"
#include "adassl/storage/file.h"

namespace adassl::render {
namespace {

constexpr size_t kMostPoints = 10'000'000;
constexpr size_t kMostTriangles = 20'000'000;
/// Twice the area of the least triangle, the length of a cross product. Its square, from which the
/// length is computed, must be far above the smallest normal number, 1.2e-38: while pictures are
/// rendered, denormals are flushed to zero, and such a triangle would have no normal.
constexpr float kLeastArea = 1e-18F;

/// Takes the next word from the front of a line; empty when there is none.
std::string_view next_word(std::string_view& line) {
  const size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
  const size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

/// Collects the lines of a file.
class Reader {
 public:
  explicit Reader(const std::string& where) : where_(where) {}

  void read(std::string_view line) {
    ++number_;
    const std::string_view kind = next_word(line);
    if (kind == "v") read_point(line);
    if (kind == "f") read_face(line);
  }

  Mesh finish() {
    ADASSL_CHECK(!mesh_.triangles.empty(), "[", where_,
                 "] expected a Wavefront OBJ file with faces, got none");
    return std::move(mesh_);
  }

 private:
  void read_point(std::string_view line) {
    float at[3];
    for (float& coordinate : at) {
      const std::string_view word = next_word(line);
      double value = 0;
      ADASSL_CHECK(storage::parse_number(word, value) && std::abs(value) <= 1e6, "[", where_, ":",
                   number_, "] expected three coordinates of at most 1e6, got '", word, "'");
      coordinate = static_cast<float>(value) + 0.0F;  // a zero without sign
    }
    const auto next = static_cast<uint32_t>(mesh_.points.size());
    ADASSL_CHECK(numbers_.size() < kMostPoints, "[", where_, "] expected at most ", kMostPoints,
                 " points");
    const auto [place, is_new] = known_.try_emplace({at[0], at[1], at[2]}, next);
    if (is_new) mesh_.points.push_back({at[0], at[1], at[2]});
    numbers_.push_back(place->second);
  }

  /// One corner of a face: "7", "7/1", "7//3" or "7/1/3", of which the first is the point. A
  /// negative number counts from the point that was read last, -1.
  uint32_t corner(std::string_view word) const {
    const std::string_view digits = word.substr(0, word.find('/'));
    const auto count = static_cast<int64_t>(numbers_.size());
    int64_t value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (value < 0 && value >= -count) value += count + 1;
    ADASSL_CHECK(
        code == std::errc() && end == digits.data() + digits.size() && value >= 1 && value <= count,
        "[", where_, ":", number_, "] expected the number of a point, from 1 to ", count, ", got '",
        word, "'");
    return numbers_[static_cast<size_t>(value - 1)];
  }

  void read_face(std::string_view line) {
    const uint32_t first = corner(next_word(line));
    uint32_t before = corner(next_word(line));
    std::string_view word = next_word(line);
    do {
      const uint32_t last = corner(word);
      add(first, before, last);
      before = last;
      word = next_word(line);
    } while (!word.empty());
  }

  void add(uint32_t a, uint32_t b, uint32_t c) {
    const auto& at = mesh_.points;
    if (length(cross(at[b] - at[a], at[c] - at[a])) <= kLeastArea) return;
    ADASSL_CHECK(mesh_.triangles.size() < kMostTriangles, "[", where_, ":", number_,
                 "] expected at most ", kMostTriangles, " triangles");
    mesh_.triangles.push_back({a, b, c});
  }

  const std::string& where_;
  int64_t number_ = 0;  // of the line
  std::map<std::tuple<float, float, float>, uint32_t> known_;
  std::vector<uint32_t> numbers_;  // of each line "v", in mesh_.points
  Mesh mesh_;
};

/// The angle at `a` between the directions to `b` and `c`.
float angle_at(Vec3 a, Vec3 b, Vec3 c) {
  const Vec3 p = b - a, q = c - a;
  return std::atan2(length(cross(p, q)), dot(p, q));
}

std::vector<Vec3> smooth_normals(const Mesh& mesh) {
  std::vector<Vec3> sums(mesh.points.size());
  const auto& at = mesh.points;
  for (const auto& t : mesh.triangles) {
    const Vec3 across = cross(at[t[1]] - at[t[0]], at[t[2]] - at[t[0]]);
    const float size = length(across);
    for (size_t k = 0; k < 3; ++k) {
      const float angle = angle_at(at[t[k]], at[t[(k + 1) % 3]], at[t[(k + 2) % 3]]);
      sums[t[k]] += angle / size * across;
    }
  }
  for (Vec3& sum : sums) {
    const float size = length(sum);
    sum = size > 1e-6F ? 1 / size * sum : Vec3{0, 0, 1};  // unused points, and opposite triangles
  }
  return sums;
}

}  // namespace

Mesh parse_obj(const std::string& text, const std::string& where) {
  Reader reader(where);
  const std::string_view all = text;
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find('\n', at), all.size());
    reader.read(all.substr(at, end - at));
    at = end + 1;
  }
  Mesh mesh = reader.finish();
  mesh.normals = smooth_normals(mesh);
  return mesh;
}

Mesh read_obj(const std::filesystem::path& path) {
  constexpr uintmax_t kLargest = uintmax_t{256} << 20;
  return parse_obj(storage::read_file(path, kLargest), path.string());
}

}  // namespace adassl::render
