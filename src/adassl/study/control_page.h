#pragma once

#include <string>
#include <vector>

#include "adassl/study/controlled_samples.h"
#include "adassl/study/sample_pages.h"

/// What is retrieved if one group of dimensions of r is sampled, as a page and as a figure.
namespace adassl::study {

/// In JSON each row says which group was sampled.
FoundPage control_page(const std::vector<Controlled>& found, const Restored& model,
                       const SeenSamples& gallery);

/// The figure as SVG. Error if the samples are not pictures.
std::string control_picture(const std::vector<Controlled>& found, const SeenSamples& gallery);

}  // namespace adassl::study
