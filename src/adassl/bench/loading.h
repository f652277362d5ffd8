#pragma once

#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

namespace adassl::bench {

inline constexpr std::string_view kLoaderName = "loader";

/// Whether the loader keeps up with a model that does nothing but read its batch: pairs of strong
/// views of JPEG files, by the clock.
struct LoaderRow {
  int64_t batch = 0;
  double alone = 0;   // pairs a second of one thread that makes batches and does nothing else
  double loaded = 0;  // pairs a second that reach the reader from a loader with one worker
  double ratio = 0;   // the median over rounds in which both were measured
};

LoaderRow measure_loader(int repeats);
nlohmann::ordered_json as_json(const LoaderRow& row);
void print(const LoaderRow& row);

}  // namespace adassl::bench
