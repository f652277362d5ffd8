#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adassl/records/record.h"

/// Decides which records count. A run directory keeps every record that was ever made: evaluations
/// with other options, evaluations before the end, repeated evaluations. Tables must not depend on
/// these.
namespace adassl::records {

/// Whether the record was made with the run's own configuration. A record without a hash (of a
/// curve, or from an old version of the program) counts as such.
bool is_own(const Record& record, const std::string& own_hash);

/// Whether the record is the evaluation of the run's last step, made with its own configuration.
bool is_result(const Record& record, const std::string& own_hash);

/// For each trial (row, seed), the record of this kind with the largest step, and the later one of
/// two with the same step. Curves and health have one record for each variant. Rows come in the
/// order of their first record, seeds ascend.
std::vector<const Record*> latest_of(const Records& records, std::string_view kind);

/// The records of one run that count:
/// - only those of its own configuration,
/// - of evaluations and pictures only those of the run's last step, and of each kind the latest,
/// - of milestones and of neighbours one for each step, the latest, and the latest of the untrained
///   model,
/// - curves at any time.
/// Until the last step has been evaluated, the newest milestone stands in for that evaluation.
Records counting(const Records& records, const std::string& own_hash);

}  // namespace adassl::records
