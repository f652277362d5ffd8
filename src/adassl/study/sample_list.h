#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "adassl/data/source.h"

/// Which samples a run began with. Samples are numbered by their place in the list of all of them,
/// so a file that appears or vanishes while a run is stopped would silently make other pairs of the
/// same numbers. Checkpoints carry a summary of the list, and a resumed run refuses another one.
namespace adassl::study {

/// The number of samples, checksums of the list up to a few places (of rows of an array only the
/// number), and how they are divided into training, validation and test. Null for a source without
/// files of the user.
nlohmann::json list_of_samples(const data::Source& source);

/// In what the samples of a source, or their division, are not those of the summary: "expected 40
/// samples, as when the run began, got 39; ...". Empty if they are the same, or if nothing is known
/// about one of them.
std::string change_of_samples(const nlohmann::json& before, const data::Source& source);

/// Whether the summary says how the samples were divided, as those of older versions do not.
bool tells_division(const nlohmann::json& before);

/// How the samples are divided: "by group, 12 of them". Empty for a source without files of the
/// user.
std::string division_of(const data::Source& source);

/// What a user should know about how the samples were divided into training, validation and test,
/// and about a batch of this size.
std::vector<std::string> remarks_on(const data::Source& source, int64_t batch);

}  // namespace adassl::study
