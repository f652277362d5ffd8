#include "adassl/report/untrained.h"

namespace adassl::report {

Records untrained_as_rows(Records records) {
  for (Record& record : records) {
    if (record.kind != records::kUntrained) continue;
    record.kind = records::kEvaluation;
    record.row = row_of(record) + std::string(kUntrainedSuffix);
    if (!record.method.empty()) record.method += kUntrainedSuffix;
  }
  return records;
}

}  // namespace adassl::report
