#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adassl/records/record.h"

/// Which records count. A run directory keeps whatever was ever recorded: evaluations with other
/// options, before the end, or twice. Tables must not depend on these.
namespace adassl::records {

/// Made as the run's own configuration says. Records of curves, and of old versions, tell no hash.
bool is_own(const Record& record, const std::string& own_hash);

/// The evaluation of the run's last step, made as its own configuration says.
bool is_result(const Record& record, const std::string& own_hash);

/// Of each trial (row, seed) the record of this kind with the largest step, the later of equals; of
/// curves one for each variant. Rows come in the order of their first record, seeds ascend.
std::vector<const Record*> latest_of(const Records& records, std::string_view kind);

/// The records of one run that count:
/// - only those of its own configuration,
/// - of evaluations and pictures only those of the run's last step, and of each kind the latest,
/// - of milestones one for each step, the latest,
/// - curves at any time.
/// Until the last step was evaluated the newest milestone stands in for that evaluation.
Records counting(const Records& records, const std::string& own_hash);

}  // namespace adassl::records
