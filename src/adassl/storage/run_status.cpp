#include "adassl/storage/run_status.h"

#include <nlohmann/json.hpp>

#include "adassl/core/error.h"
#include "adassl/storage/file.h"
#include "adassl/storage/json_lines.h"

namespace adassl::storage {
namespace {

using nlohmann::json;

constexpr uintmax_t kLargestStatus = 1 << 16;

}  // namespace

void write_status(const std::filesystem::path& path, const RunStatus& status) {
  const json content = {{"step", status.step}, {"steps", status.steps}, {"line", status.line}};
  replace_without_sync(path, json_text(content) + "\n");
}

std::optional<RunStatus> read_status(const std::filesystem::path& path) {
  std::string bytes;
  try {
    bytes = read_file(path, kLargestStatus);
  } catch (const Error&) {
    return std::nullopt;
  }
  const json content = json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  if (!content.is_object()) return std::nullopt;
  const auto text = [&](const char* key) {
    const auto found = content.find(key);
    return found != content.end() && found->is_string() ? found->get<std::string>() : "";
  };
  const auto number = [&](const char* key) -> int64_t {
    const auto found = content.find(key);
    return found != content.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
  };
  return RunStatus{number("step"), number("steps"), one_line(text("line"))};
}

}  // namespace adassl::storage
