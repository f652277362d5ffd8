#pragma once

#include <string>
#include <vector>

#include "adassl/core/batch.h"
#include "adassl/storage/png.h"

/// Pages with rows of a user's samples: neighbours of a sample, pairs whose change is alike.
namespace adassl::report {

/// One observation as a picture: images [3, H, W] or [1, H, W], or the frames of a clip
/// [C, T, H, W] side by side, of uint8 or of floats from 0 to 1. Empty where it is none of these.
storage::Image picture_of(const Array& observations, int64_t row);

/// A sample in a row.
struct SampleCell {
  std::string caption;           // its name
  std::string note;              // below it, smaller, such as a similarity; may be empty
  storage::Image image = {};     // if it can be shown as a picture
  std::vector<float> line = {};  // otherwise its numbers, drawn as curves: [steps, channels]
  int64_t channels = 1;
  bool marked = false;  // the sample that was asked about
};

struct SampleRow {
  std::string title;  // may be empty
  std::vector<SampleCell> cells;
};

/// The cell of a row of observations: a picture, or else a curve; of a window of a series, one for
/// each channel.
SampleCell cell_of(const Array& observations, int64_t row, std::string caption, std::string note);

/// Rows of cells as HTML.
std::string sample_rows(const std::vector<SampleRow>& rows);

}  // namespace adassl::report
