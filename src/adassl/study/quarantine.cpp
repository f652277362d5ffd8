#include "adassl/study/quarantine.h"

#include <nlohmann/json.hpp>

#include "adassl/core/error.h"
#include "adassl/storage/file.h"
#include "adassl/storage/json_lines.h"

namespace adassl::study {

void write_quarantine(const storage::RunDirectory& run, const data::Source& source) {
  std::string lines;
  for (const data::Unusable& part : source.unusable()) {
    const nlohmann::ordered_json line = {{"path", part.name}, {"reason", part.reason}};
    lines += storage::json_text(line) + "\n";
  }
  if (!lines.empty()) storage::write_atomically(run.quarantine(), lines);
}

void restore_quarantine(const storage::RunDirectory& run, data::Source& source) {
  std::vector<data::Unusable> parts;
  std::error_code code;
  if (std::filesystem::exists(run.quarantine(), code)) {
    for (const auto& line : storage::read_json_lines(run.quarantine())) {
      const bool good = line.is_object() && line.contains("path") && line["path"].is_string() &&
                        line.contains("reason") && line["reason"].is_string();
      ADASSL_CHECK(good, "[", run.quarantine().string(),
                   "] expected lines with path and reason, got another one");
      parts.push_back({line["path"], line["reason"]});
    }
  }
  source.leave_out(parts);
}

}  // namespace adassl::study
