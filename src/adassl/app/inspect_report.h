#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "adassl/core/config.h"
#include "adassl/data/inspection.h"

namespace adassl::app {

/// What `adassl data inspect` shows.
struct InspectReport {
  data::Inspection found;
  const data::Files& files;
  std::string pairing;  // the kinds of these parts
  std::string views;
  std::string train;          // the command to train on this data
  bool standardised = false;  // the numbers of rows, as training does it unless it is told how
  std::string sheet = {};     // the picture that was written; empty if there is none
  std::string page = {};      // likewise
};

/// A line of the report: "pairs", "40 in an epoch". Further lines of one kind have no name.
struct InspectLine {
  std::string name;
  std::string text;
};

std::vector<InspectLine> lines_of(const InspectReport& report);

nlohmann::ordered_json as_json(const InspectReport& report);
void print(const InspectReport& report, std::ostream& out);

/// The command that trains on this data with the same pairs, quoted for a shell. `tolerance` is the
/// samples.tolerate that training needs; 0: the default will do.
std::string train_command(const std::string& path, Config& config,
                          const std::vector<std::string>& overrides, double tolerance);

}  // namespace adassl::app
