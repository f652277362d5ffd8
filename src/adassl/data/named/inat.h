#pragma once

#include <string>
#include <vector>

#include "adassl/data/files.h"
#include "adassl/data/named/preset.h"
#include "adassl/data/samples/images.h"

namespace adassl::data {

/// The photographs of iNat-1M, or of any set that is listed in the same way: train.txt, val.txt and
/// test.txt with lines `path class superclass`, where classes count from 0 to 4999 and superclasses
/// from 0 to 10. Only text is read, never the pickled dictionaries beside the lists.
///
/// `label_types` names a file with a line 0 or 1 for each training image, 1 for a corrupted one; it
/// becomes the column `corrupted`.
struct INatSamples {
  static constexpr std::string_view kName = "inat";
  static constexpr std::string_view kSummary =
      "iNat-1M's layout: train.txt, val.txt and test.txt with lines `path class superclass`";
  std::string folder = "data/inat";
  std::string root;
  std::string label_types;
  double tolerate = 0.01;
  FileOptions files;
  void visit(Fields& field);
  ListedImages list() const;
};

/// The data set of that name, with the paper's pairs and views. An image names a pool, from which
/// both x and x+ are drawn: the clean images of its class if it is clean, the corrupted images of
/// its superclass if it is corrupted. Images are corrupted with probability `corruption`, once for
/// all, or as `label_types` says. Strong views of 224 x 224 pixels; evaluations see the centre of
/// an image whose shorter side is resized to 256 pixels.
struct INatData {
  static constexpr std::string_view kName = "inat";
  static constexpr std::string_view kSummary =
      "iNat-1M (a preset over samples, pairing and views): species, some labels corrupted";
  static std::vector<PartUse> uses() {
    return {{"samples", "inat"}, {"pairing", "group"}, {"views", "strong"}};
  }
  std::string folder = "data/inat";
  double corruption = 0;
  std::string label_types;
  SeenOptions seen = {.test_shorter = 256};
  void visit(Fields& field);
  std::vector<ChosenPart> parts() const;
};

}  // namespace adassl::data
