#include "adassl/storage/json_lines.h"

#include "fuzz/harness.h"

namespace adassl::storage {
namespace {

bool has_step(const nlohmann::json& record) {
  return record.is_object() && record.contains("step");
}

/// keep_lines() keeps what it says: the chosen lines, in order and byte for byte.
void require_kept(const std::filesystem::path& path, const std::vector<nlohmann::json>& records) {
  const std::filesystem::path copy = fuzz::copy_of(path);
  const std::string before = testing::contents(path);
  testing::put(copy, before);
  fuzz::require(keep_lines(copy, [](const auto&) { return true; }) == 0,
                "a file that can be read has no damaged lines");
  fuzz::require(before.starts_with(testing::contents(copy)), "all lines are kept as they were");
  keep_lines(copy, has_step);
  std::vector<nlohmann::json> expected;
  std::copy_if(records.begin(), records.end(), std::back_inserter(expected), has_step);
  fuzz::require(read_json_lines(copy) == expected, "exactly the chosen lines are kept");
}

/// A writer cuts a torn last line and appends a whole one.
void require_appended(const std::filesystem::path& path, size_t lines) {
  {
    JsonLinesWriter writer(path);
    writer.append({{"step", lines}});
    fuzz::require(writer.flush(), "a line can be appended");
  }
  const auto after = read_json_lines(path);
  fuzz::require(after.size() == lines + 1 && after.back()["step"] == lines,
                "an appended line is read again");
}

}  // namespace
}  // namespace adassl::storage

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adassl;
  const auto path = fuzz::file_with(fuzz::text_of(data, size));
  std::vector<nlohmann::json> records;
  if (fuzz::accepted([&] { records = storage::read_json_lines(path); })) {
    storage::require_kept(path, records);
    storage::require_appended(path, records.size());
  } else {
    const size_t damaged = storage::keep_lines(path, [](const auto&) { return true; });
    fuzz::require(damaged > 0, "a file that cannot be read has damaged lines");
    storage::require_appended(path, storage::read_json_lines(path).size());
  }
  return 0;
}
