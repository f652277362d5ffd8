#include "adassl/study/quarantine.h"

#include <charconv>

#include <nlohmann/json.hpp>

#include "adassl/core/error.h"
#include "adassl/storage/file.h"
#include "adassl/storage/json_lines.h"

namespace adassl::study {
namespace {

using nlohmann::json;

constexpr const char* kHex = "path_hex";

/// Whether a name is the same after it was written as JSON and read again.
bool survives_json(const std::string& name) {
  return json::parse(storage::json_text(json(name))).get<std::string>() == name;
}

std::string hex_of(const std::string& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

/// The bytes that these digits stand for; false if they are no pairs of hexadecimal digits.
bool read_hex(const std::string& digits, std::string& out) {
  if (digits.size() % 2 != 0) return false;
  for (size_t i = 0; i < digits.size(); i += 2) {
    const char* from = digits.data() + i;
    unsigned char byte = 0;
    const auto [end, code] = std::from_chars(from, from + 2, byte, 16);
    if (code != std::errc() || end != from + 2) return false;
    out += static_cast<char>(byte);
  }
  return true;
}

/// What a line says; false if it is not a line of this list.
bool read_line(const json& line, data::Unusable& out) {
  const auto is_text = [&](const char* key) { return line.contains(key) && line[key].is_string(); };
  if (!line.is_object() || !is_text("path") || !is_text("reason")) return false;
  out = {line["path"], line["reason"]};
  if (!line.contains(kHex)) return true;
  out.name.clear();
  return is_text(kHex) && read_hex(line[kHex], out.name);
}

}  // namespace

void write_quarantine(const storage::RunDirectory& run, const data::Source& source) {
  std::string lines;
  for (const data::Unusable& part : source.unusable()) {
    nlohmann::ordered_json line = {{"path", part.name}, {"reason", part.reason}};
    if (!survives_json(part.name)) line[kHex] = hex_of(part.name);
    lines += storage::json_text(line) + "\n";
  }
  if (!lines.empty()) storage::write_atomically(run.quarantine(), lines);
}

void restore_quarantine(const storage::RunDirectory& run, data::Source& source) {
  std::vector<data::Unusable> parts;
  std::error_code code;
  if (std::filesystem::exists(run.quarantine(), code)) {
    for (const json& line : storage::read_json_lines(run.quarantine())) {
      ADASSL_CHECK(read_line(line, parts.emplace_back()), "[", run.quarantine().string(),
                   "] expected lines with path and reason, got another one");
    }
  }
  source.leave_out(parts);
}

}  // namespace adassl::study
