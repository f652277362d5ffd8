#pragma once

#include <string>

#include "adassl/report/sections.h"

namespace adassl::report {

struct PageOptions {
  std::string title;        // empty: the study's
  std::string config_toml;  // shown folded at the end, unless empty
  Pictures pictures = {};   // of the samples that names_of_neighbours names
};

/// One HTML file that needs nothing else: header, whether it learns, table, trade-offs, learning
/// curves, densities, use of r, geometry. Sections without records are left out.
std::string study_page(const Records& records, const PageOptions& options = {});

/// The same for the records of a single run.
std::string run_page(const Records& records, const std::string& config_toml,
                     const std::string& title, const Pictures& pictures = {});

}  // namespace adassl::report
