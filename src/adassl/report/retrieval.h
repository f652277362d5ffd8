#pragma once

#include <string>
#include <vector>

#include "adassl/core/batch.h"
#include "adassl/storage/png.h"

/// Pictures of retrieval: the clips of a pool that are nearest to the predictions of models, beside
/// the true future.
namespace adassl::report {

using storage::Image;

/// What one model finds for each of R queries: K clips, the nearest first.
struct RetrievalColumn {
  std::string label;                 // "AdaSSL-V"
  std::string note;                  // below it, smaller; may be empty
  Array found;                       // [R * K, ...] the clips of the first query come first
  std::vector<int64_t> copies;       // [R * K] how many clips of the pool have the same pixels
  std::vector<int64_t> ranks;        // [R] rank of the truth; ties count for the model
  std::vector<int64_t> worst_ranks;  // [R] the same, but ties count against the model
};

/// One row for each query: its past, its true future, then what each column's model finds.
struct RetrievalFigure {
  Array past;                        // [R, ...] clips or images
  Array truth;                       // [R, ...]
  std::vector<std::string> changes;  // [R] the change that models were told, as text; may be empty
  int64_t pool = 0;                  // number of clips in the pool
  std::vector<RetrievalColumn> columns;  // all with the same K
};

/// One clip of the picture, and where its upper left corner is.
struct RetrievalPanel {
  int64_t left = 0;
  int64_t top = 0;
  Image image;
  std::string about;  // the text of its tooltip
};

/// The layout of the figure: panels, with room for text below each row of them.
struct RetrievalSheet {
  int64_t width = 0;
  int64_t height = 0;
  int64_t panel_height = 0;
  std::vector<int64_t> starts;         // [2 + columns] left edges of past, truth and each model
  std::vector<int64_t> tops;           // [R]
  std::vector<RetrievalPanel> panels;  // row by row
};

/// The past is grey and the future orange; later frames are brighter. Clips with exactly the
/// truth's pixels have a green frame. Error when shapes do not fit together or cannot be drawn.
RetrievalSheet retrieval_sheet(const RetrievalFigure& figure);
/// The sheet as pixels, with the ranks as numbers below each model's clips.
Image retrieval_image(const RetrievalFigure& figure, const RetrievalSheet& sheet);

/// The figure as files.
struct RetrievalFiles {
  std::string image;    // PNG
  std::string picture;  // SVG: with names, ranks with and without ties, and tooltips
  std::string page;     // HTML: the picture and an explanation
};
RetrievalFiles retrieval_files(const RetrievalFigure& figure, const std::string& title);

}  // namespace adassl::report
