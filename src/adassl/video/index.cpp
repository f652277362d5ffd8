#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "adassl/core/error.h"
#include "adassl/video/pixels.h"
#include "adassl/video/stream.h"

namespace adassl::video {
namespace {

static_assert(std::is_trivially_copyable_v<KeyFrame> && sizeof(KeyFrame) == 24);

/// The times of all frames in seconds, from the file's time stamps where they increase; otherwise
/// the frames follow each other evenly.
std::vector<double> seconds_of(const std::vector<int64_t>& stamps, double unit, double rate) {
  const bool increase =
      std::ranges::adjacent_find(stamps, std::ranges::greater_equal()) == stamps.end() &&
      stamps.front() != AV_NOPTS_VALUE && unit > 0;
  std::vector<double> out;
  for (size_t i = 0; i < stamps.size(); ++i) {
    const auto count = static_cast<double>(i);
    out.push_back(
        increase ? unit * (static_cast<double>(stamps[i]) - static_cast<double>(stamps.front()))
                 : count / (rate > 0 ? rate : 1));
  }
  return out;
}

template <class T>
void put(std::string& out, const std::vector<T>& values) {
  const uint64_t count = values.size();
  out.append(reinterpret_cast<const char*>(&count), sizeof count);
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

template <class T>
std::vector<T> take(std::string_view& bytes) {
  uint64_t count = 0;
  ADASSL_CHECK(bytes.size() >= sizeof count, "[video] expected an index, got too few bytes");
  std::memcpy(&count, bytes.data(), sizeof count);
  bytes.remove_prefix(sizeof count);
  ADASSL_CHECK(count <= bytes.size() / sizeof(T), "[video] expected an index, got too few bytes");
  std::vector<T> out(count);
  if (count > 0) std::memcpy(out.data(), bytes.data(), count * sizeof(T));
  bytes.remove_prefix(count * sizeof(T));
  return out;
}

/// Whether an index can be that of a video: readers count on the order of its key frames.
bool is_sound(const Index& index) {
  constexpr Limits kLimits;
  const auto is_time = [&](double time) { return time >= 0 && time <= kLimits.seconds; };
  const auto is_key = [&](const KeyFrame& key) {
    return key.frame >= 0 && key.frame < index.frames() && key.position >= 0;
  };
  const auto follows = [](const KeyFrame& a, const KeyFrame& b) { return a.frame >= b.frame; };
  return index.width > 0 && index.height > 0 && index.height <= kLimits.pixels / index.width &&
         index.frames() > 0 && index.frames() <= kLimits.frames &&
         index.times.size() == index.sums.size() && std::isfinite(index.rate) && index.rate >= 0 &&
         std::ranges::all_of(index.times, is_time) && std::ranges::is_sorted(index.times) &&
         std::ranges::all_of(index.keys, is_key) &&
         std::ranges::adjacent_find(index.keys, follows) == index.keys.end();
}

}  // namespace

bool is_video_name(std::string_view name) {
  constexpr std::array<std::string_view, 6> kEndings = {".avi", ".mp4", ".m4v",
                                                        ".mov", ".mkv", ".webm"};
  std::string small(name);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return std::ranges::any_of(kEndings, [&](std::string_view ending) {
    return small.size() > ending.size() && small.ends_with(ending);
  });
}

Index index_video(const std::filesystem::path& path, const Limits& limits,
                  const Progress& progress) {
  Stream stream(path, limits);
  Index out;
  std::vector<int64_t> stamps;
  while (const AVFrame* frame = stream.next()) {
    if (out.frames() == 0) {
      require_convertible(*frame);
      out.width = frame->width;
      out.height = frame->height;
    }
    ADASSL_CHECK(frame->width == out.width && frame->height == out.height,
                 "[video] changes its size after frame ", out.frames(), ", from ", out.width, "x",
                 out.height, " to ", frame->width, "x", frame->height);
    ADASSL_CHECK(out.frames() < limits.frames, "[video] expected at most ", limits.frames,
                 " frames, got more");
    if (const auto key = stream.key_packet()) {
      out.keys.push_back({out.frames(), key->position, key->time});
    }
    out.sums.push_back(sum_of(*frame));
    stamps.push_back(frame->best_effort_timestamp);
    if (progress) progress(stream.share());
  }
  ADASSL_CHECK(out.frames() > 0, "[video] has no frames");
  stream.require_whole();
  out.rate = stream.rate();
  out.times = seconds_of(stamps, stream.unit(), out.rate);
  ADASSL_CHECK(out.times.back() <= limits.seconds, "[video] expected at most ", limits.seconds,
               " seconds, got ", out.times.back());
  if (stream.orientation() >= 5) std::swap(out.width, out.height);
  return out;
}

std::string pack(const Index& index) {
  std::string out;
  put<int64_t>(out, {index.width, index.height});
  put<double>(out, {index.rate});
  put(out, index.sums);
  put(out, index.times);
  put(out, index.keys);
  return out;
}

Index unpack(std::string_view bytes) {
  const auto size = take<int64_t>(bytes);
  const auto rate = take<double>(bytes);
  Index out;
  out.sums = take<uint64_t>(bytes);
  out.times = take<double>(bytes);
  out.keys = take<KeyFrame>(bytes);
  const bool whole = size.size() == 2 && rate.size() == 1 && bytes.empty();
  ADASSL_CHECK(whole, "[video] expected an index, got other bytes");
  out.width = size[0];
  out.height = size[1];
  out.rate = rate[0];
  ADASSL_CHECK(is_sound(out), "[video] expected an index, got that of no video");
  return out;
}

}  // namespace adassl::video
