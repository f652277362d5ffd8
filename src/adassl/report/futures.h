#pragma once

#include <string>
#include <vector>

#include "adassl/core/batch.h"
#include "adassl/storage/png.h"

/// Pictures of clips with several possible futures: the past in grey, the futures superimposed in
/// colour, brighter where more of them agree.
namespace adassl::report {

using storage::Image;

/// The futures that a column shows for each past: the true ones, or those that a model imagines.
struct FutureColumn {
  std::string label;                        // "AdaSSL-V"
  std::string note;                         // below it, smaller; may be empty
  std::vector<std::vector<int64_t>> shown;  // [pasts][...] numbers from 0 to n - 1
};

/// One row for each past; the past alone comes first, then the columns.
struct FutureFigure {
  Futures futures;  // observations [1 or 3 channels, frames, height, width], or without frames
  std::vector<FutureColumn> columns;
};

/// All frames of the past and the last frames of the futures, superimposed in one image. Error when
/// observations are not clips or images.
Image still(const FutureFigure& figure);
/// One frame after the other: first the past, then all futures at once.
std::vector<Image> moving(const FutureFigure& figure);

/// The figure in several file formats.
struct FutureFiles {
  std::string still;    // PNG
  std::string moving;   // animated PNG
  std::string picture;  // SVG: the still image with the names of its columns
  std::string page;     // HTML: both images and an explanation
};
FutureFiles futures_files(const FutureFigure& figure, const std::string& title);

}  // namespace adassl::report
