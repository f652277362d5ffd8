#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adassl/data/files.h"
#include "adassl/data/named/preset.h"
#include "adassl/data/samples/images.h"

namespace adassl::data {

/// The images of 3DIdent, a teapot with ten factors, and of any set with the same layout:
///   DIR/train/images/000000.png ...    DIR/train/raw_latents.npy  [N, 10], from -1 to 1
///   DIR/test/...                       the held-out images
/// A factor is its raw latent divided by sqrt(4/12), the deviation of the uniform distribution.
/// latents.npy, the numbers for the renderer, may be there and has as many rows. Instead of a
/// folder, DIR may be a cache of images into which such a set was rendered, with
/// DIR.raw_latents.npy and DIR.csv (a row with the part it belongs to for each image) beside it.
struct ThreeDIdentSamples {
  static constexpr std::string_view kName = "three_d_ident";
  static constexpr std::string_view kSummary =
      "3DIdent's layout: train/images, train/raw_latents.npy, and the same below test";
  std::string folder = "data/3dident";
  double tolerate = 0.01;
  FileOptions files;
  void visit(Fields& field);
  ListedImages list() const;
  std::shared_ptr<SampleSet> open(const Progress& progress) const;
  static SamplesEntry entry();

 private:
  std::shared_ptr<SampleSet> open_cache() const;
};

/// The data set of that name, with the paper's pairs:
///   natural    x+ is the training image that is nearest to x in the ten factors after each of them
///              was redrawn with probability 0.2; images are seen as they are
///   standard   two strong views of one image, without solarisation
struct ThreeDIdentData {
  static constexpr std::string_view kName = "three_d_ident";
  static constexpr std::string_view kSummary =
      "3DIdent (a preset over samples, pairing and views): a teapot with ten factors";
  static std::vector<PartUse> uses() {
    return {{"samples", "three_d_ident"}, {"pairing", "neighbour"}, {"views", "plain"}};
  }
  std::string folder = "data/3dident";
  std::string pairing = "natural";
  SeenOptions seen;
  void visit(Fields& field);
  std::vector<ChosenPart> parts() const;
};

/// The names of the ten factors, in the order of the columns.
std::vector<std::string> three_d_ident_factors();

}  // namespace adassl::data
