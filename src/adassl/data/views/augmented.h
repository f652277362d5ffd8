#pragma once

#include <string>
#include <vector>

#include "adassl/data/views/view.h"
#include "adassl/images/augment.h"

/// Views that are random: `weak`, `strong`, and a list of operations of one's own.
namespace adassl::data {

/// A view of images by an augmentation. The derived classes state which one.
class AugmentedView : public View {
 public:
  void require_images() const override {}
  void require_arrays() const override;
  int64_t size() const override { return size_; }
  void see(const images::Pixels& image, random::Sequence& draws,
           std::span<uint8_t> out) const override;
  void see(std::span<const float> row, random::Sequence& draws,
           std::span<float> out) const override;

  const images::Augmentation& augmentation() const { return augmentation_; }

 protected:
  AugmentedView(std::string_view name, int64_t size, images::Augmentation augmentation)
      : name_(name), size_(size), augmentation_(std::move(augmentation)) {}

 private:
  std::string_view name_;
  int64_t size_;
  images::Augmentation augmentation_;
};

/// Where to cut, and whether to mirror: part of the options of several views.
struct CropOptions {
  int64_t size = 64;
  double flip = 0.5;
  std::vector<double> area = {0.08, 1};
  std::vector<double> ratio = {3.0 / 4, 4.0 / 3};
  void visit(Fields& field);
};

/// What happens to the colours: part of the options of several views. The defaults are the paper's
/// official code's for CelebA and iNat.
struct ColourOptions {
  double jitter = 0.8;
  double brightness = 0.4;
  double contrast = 0.4;
  double saturation = 0.2;
  double hue = 0.1;
  double grey = 0.2;
  double blur = 0.5;
  std::vector<double> sigma = {0.1, 2};
  double solarise = 0.2;
  void visit(Fields& field);
};

/// A mirror image with probability 1/2, then a crop of most of the image.
class WeakView final : public AugmentedView {
 public:
  struct Options {
    static constexpr std::string_view kName = "weak";
    static constexpr std::string_view kSummary = "images: a flip and a crop of most of the image";
    CropOptions crop = {.area = {0.8, 1}, .ratio = {0.9, 1.1}};
    void visit(Fields& field) { crop.visit(field); }
  };
  explicit WeakView(const Options& options);
};

/// SimCLR's augmentation as the paper's official code has it: flip, crop, colour jitter, grey,
/// blur, solarisation.
class StrongView final : public AugmentedView {
 public:
  struct Options {
    static constexpr std::string_view kName = "strong";
    static constexpr std::string_view kSummary =
        "images: flip, crop, colour jitter, grey, blur and solarisation";
    CropOptions crop;
    ColourOptions colour;
    void visit(Fields& field) {
      crop.visit(field);
      colour.visit(field);
    }
  };
  explicit StrongView(const Options& options);
};

/// Named operations, in the given order.
class OperationsView final : public AugmentedView {
 public:
  struct Options {
    static constexpr std::string_view kName = "operations";
    static constexpr std::string_view kSummary =
        "a list of operations: crop, flip, jitter, grey, blur, solarise; of arrays: noise, masking";
    std::vector<std::string> operations = {"flip", "crop"};
    CropOptions crop;
    ColourOptions colour;
    double noise = 0.1;
    double masking = 0.1;
    void visit(Fields& field);
  };
  explicit OperationsView(const Options& options);

  void require_images() const override;
  void require_arrays() const override;
  using AugmentedView::see;
  void see(std::span<const float> row, random::Sequence& draws,
           std::span<float> out) const override;

 private:
  Options options_;
};

}  // namespace adassl::data
