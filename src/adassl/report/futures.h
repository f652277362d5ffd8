#pragma once

#include <string>
#include <vector>

#include "adassl/core/batch.h"
#include "adassl/storage/png.h"

/// Pictures of clips that may go on in several ways: the past in grey, what may follow laid over
/// each other in colour, brighter where more of it agrees.
namespace adassl::report {

using storage::Image;

/// Which of its futures a column shows for each past: the true ones, or those a model imagines.
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

/// All moments laid over each other. Error when observations are not clips or images.
Image still(const FutureFigure& figure);
/// One moment after the other: first the past, then the futures all at once.
std::vector<Image> moving(const FutureFigure& figure);

/// The figure as files, each drawn once.
struct FutureFiles {
  std::string still;    // PNG
  std::string moving;   // animated PNG
  std::string picture;  // SVG: the still one below its columns' names
  std::string page;     // HTML: both, and what they show
};
FutureFiles futures_files(const FutureFigure& figure, const std::string& title);

}  // namespace adassl::report
