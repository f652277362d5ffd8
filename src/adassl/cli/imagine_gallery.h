#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adassl/study/tables.h"

namespace adassl::cli {

/// What `imagine --gallery` was asked for.
struct GalleryArguments {
  std::string run, gallery, out;
  std::vector<std::string> overrides, queries;
  int64_t rows = 8;
  int64_t draws = 10;
  bool groups = false;  // sample groups of dimensions of r, one at a time
  bool json = false;
};

/// For some samples of a gallery: what the model of a run expects to see together with them, as the
/// nearest samples of the gallery. Writes a page, or prints a line of JSON for each sample.
void imagine_from_gallery(const GalleryArguments& arguments, const study::Tables& tables);

}  // namespace adassl::cli
