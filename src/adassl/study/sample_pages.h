#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "adassl/study/imagined_samples.h"
#include "adassl/study/nearest_samples.h"

/// Pages that show samples of a user's own.
namespace adassl::study {

/// Writes a page with one section: a sentence about it, and a body that is HTML already. Makes the
/// folder if it is missing.
void write_sample_page(const std::filesystem::path& path, const std::string& title,
                       const std::string& about, const std::string& body);

/// A sample that was asked about, and those that a model finds for it.
struct FoundRow {
  int64_t sample = 0;
  std::vector<Nearest::Other> others;
  std::string title = {};                  // above the row of the page; may be empty
  nlohmann::ordered_json facts = nullptr;  // what the line of JSON says beside the two
};

struct FoundPage {
  std::string name;  // of the file, without its ending
  std::string list;  // the key of the others in JSON
  std::string title, about;
  std::vector<FoundRow> rows;
};

/// The nearest samples of some samples.
FoundPage neighbours_page(const Restored& model, const SeenSamples& samples,
                          const NearestOptions& options);
/// What the model expects to see together with some samples.
FoundPage imagined_page(const Restored& model, const SeenSamples& gallery,
                        const ImagineOptions& options);

/// Where and how a FoundPage is shown.
struct Showing {
  std::filesystem::path folder;  // of the page
  bool json = false;             // prints a line of JSON for each row, and writes no page
};

/// Writes the page and prints where it is, or prints the rows as JSON.
void show(const FoundPage& page, const SeenSamples& samples, const Showing& showing,
          std::ostream& out);

}  // namespace adassl::study
