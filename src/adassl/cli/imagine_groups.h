#pragma once

#include "adassl/cli/imagine_gallery.h"

namespace adassl::cli {

/// `imagine --gallery DATA --groups`: for some samples, what is retrieved if one group of the
/// dimensions of r is sampled and the others stay at their expectation. Writes a page and, for
/// pictures, a figure, or prints a line of JSON for each sample.
void imagine_by_groups(const GalleryArguments& arguments, const study::Tables& tables);

}  // namespace adassl::cli
