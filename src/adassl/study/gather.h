#pragma once

#include <string>
#include <vector>

#include "adassl/records/record.h"
#include "adassl/study/study.h"

namespace adassl::study {

/// Everything that reports need, as records: the study itself, and what the runs have so far. The
/// study's record describes all metrics, once for all.
records::Records gather(const Study& study, const std::string& budget,
                        const std::vector<StudyRun>& runs);

/// Without those of runs that have no evaluation yet: what is kept must not depend on the moment.
records::Records evaluated(records::Records records);

}  // namespace adassl::study
