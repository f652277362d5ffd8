#pragma once

#include <string>
#include <vector>

#include "adassl/records/record.h"
#include "adassl/study/study.h"

namespace adassl::study {

/// All records that reports need: one of the study itself, and those that its runs have so far. The
/// study's record carries the descriptions of all metrics.
records::Records gather(const Study& study, const std::string& budget,
                        const std::vector<StudyRun>& runs);

/// Leaves out the records of trials without an evaluation, so that stored results do not depend on
/// how far unfinished runs are.
records::Records evaluated(records::Records records);

}  // namespace adassl::study
