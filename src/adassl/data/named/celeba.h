#pragma once

#include <string>
#include <vector>

#include "adassl/data/files.h"
#include "adassl/data/named/preset.h"
#include "adassl/data/samples/images.h"

namespace adassl::data {

/// The photographs of CelebA, or of any set with the same files, with a column of 0 and 1 for each
/// attribute. There are two forms of the tables:
///   raw        DIR/img_align_celeba/, DIR/list_attr_celeba.txt and DIR/identity_CelebA.txt, as
///              published; the split is drawn as the paper describes it (celeba_tables.h)
///   prepared   DIR/img_align_celeba/ and DIR/attributes_train.txt, attributes_val.txt and
///              attributes_test.txt, as the paper's code reads them
struct CelebASamples {
  static constexpr std::string_view kName = "celeba";
  static constexpr std::string_view kSummary =
      "CelebA's layout: img_align_celeba, list_attr_celeba.txt and identity_CelebA.txt, or the "
      "paper's prepared tables";
  std::string folder = "data/celeba";
  std::string root;
  std::string tables = "raw";
  double held_out = 0.2;
  int64_t split_seed = 1;
  double tolerate = 0.01;
  FileOptions files;
  void visit(Fields& field);
  ListedImages list() const;
};

/// The data set of that name, with the paper's pairs and views:
///   natural    two photographs of one person; in an epoch each of all pairs once, in random order
///   standard   two views of photograph k mod N, in an epoch as often as there are natural pairs
/// Views are weak ones of 64 x 64 pixels (views.kind = "strong" for strong ones); evaluations see
/// the centre of 178 x 178 pixels, resized to 64 x 64.
struct CelebAData {
  static constexpr std::string_view kName = "celeba";
  static constexpr std::string_view kSummary =
      "CelebA (a preset over samples, pairing and views): faces with 40 attributes";
  static std::vector<PartUse> uses() {
    return {{"samples", "celeba"}, {"pairing", "group"}, {"views", "weak"}};
  }
  std::string folder = "data/celeba";
  std::string tables = "raw";
  std::string pairing = "natural";
  SeenOptions seen = {.test_crop = 178};
  void visit(Fields& field);
  std::vector<ChosenPart> parts() const;
};

}  // namespace adassl::data
