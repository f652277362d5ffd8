#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "adassl/study/study.h"

namespace adassl::study {

/// Everything that reports need, as records: the study itself, and what the runs have so far.
std::vector<nlohmann::json> gather(const Study& study, const std::string& budget,
                                   const std::vector<StudyRun>& runs);

/// Without those of runs that have no evaluation yet: what is kept must not depend on the moment.
std::vector<nlohmann::json> evaluated(std::vector<nlohmann::json> records);

}  // namespace adassl::study
