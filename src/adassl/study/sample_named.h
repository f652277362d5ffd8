#pragma once

#include <string>
#include <vector>

#include "adassl/data/samples/samples.h"
#include "adassl/data/source.h"

namespace adassl::study {

/// The number of the sample that somebody named: by its path below the folder, or by its row in an
/// array, as "row 17" or as "17". Error, beginning with `where`, if there is none, or with the
/// recorded reason if it is one of the unusable ones.
int64_t sample_named(const data::SampleSet& samples, const std::vector<data::Unusable>& unusable,
                     const std::string& name, const std::string& where);

}  // namespace adassl::study
