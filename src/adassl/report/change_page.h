#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "adassl/report/sample_rows.h"

namespace adassl::report {

/// What r says changed between two samples, and the pairs of the data whose change is most alike.
struct ChangePage {
  struct Pair {
    SampleCell from, to;
    double distance = 0;  // of its change from the one that was asked about
  };
  /// Dimensions of r that change one factor of the data, as the evaluation `control` found.
  struct Group {
    std::string name;           // of the factor
    std::vector<int64_t> dims;  // from 0
  };
  std::vector<double> r;           // [d_r] in standard deviations from the mean over known pairs
  std::vector<double> cost;        // [d_r] what each dimension costs
  std::vector<double> usual_cost;  // [d_r] the mean over known pairs
  std::string unit;                // of the costs
  std::vector<Pair> pairs;         // the first is the one that was asked about
  std::string about;               // the model and the number of pairs that were compared
  std::vector<Group> groups = {};  // empty if they are not known
};

/// One sentence: in which dimensions the change stands out, or for which factors r pays most.
std::string change_lead(const ChangePage& page);
/// The sections of the page, as HTML.
std::string change_body(const ChangePage& page);
/// The same for a terminal.
std::string change_text(const ChangePage& page);
/// Its names and numbers.
nlohmann::ordered_json change_json(const ChangePage& page);

}  // namespace adassl::report
