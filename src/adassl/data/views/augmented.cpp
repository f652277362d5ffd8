#include "adassl/data/views/augmented.h"

#include <algorithm>
#include <utility>

namespace adassl::data {
namespace {

using images::Augmentation;
using images::Interval;
using images::Step;

/// One operation of the list. Operations of arrays have no step.
struct Operation {
  std::string_view name;
  std::optional<Step> step;
};

constexpr Operation kOperations[] = {
    {"crop", Step::kCrop}, {"flip", Step::kFlip}, {"jitter", Step::kJitter},
    {"grey", Step::kGrey}, {"blur", Step::kBlur}, {"solarise", Step::kSolarise},
    {"noise", {}},         {"masking", {}}};

std::vector<std::string> operation_names() {
  std::vector<std::string> out;
  for (const Operation& operation : kOperations) out.emplace_back(operation.name);
  return out;
}

std::optional<Step> step_of(const std::string& name) {
  return std::ranges::find(kOperations, name, &Operation::name)->step;
}

Interval interval_of(std::string_view name, const std::vector<double>& values) {
  ADASSL_CHECK(values.size() == 2 && values[0] <= values[1], "[views] ", name,
               ": expected two numbers [min, max], got ",
               to_toml(std::vector<Scalar>(values.begin(), values.end())));
  return {values[0], values[1]};
}

void take(const CropOptions& from, Augmentation& to) {
  to.flip = from.flip;
  to.area = interval_of("area", from.area);
  to.ratio = interval_of("ratio", from.ratio);
}

void take(const ColourOptions& from, Augmentation& to) {
  to.jitter_rate = from.jitter;
  to.jitter = {from.brightness, from.contrast, from.saturation, from.hue};
  to.grey_rate = from.grey;
  to.blur_rate = from.blur;
  to.sigma = interval_of("sigma", from.sigma);
  to.solarise_rate = from.solarise;
}

/// The operations of images among them. A crop may follow a flip only: all else works on the crop.
std::vector<Step> steps_of(const std::vector<std::string>& names) {
  std::vector<Step> out;
  for (const std::string& name : names) {
    ADASSL_CHECK(std::ranges::count(names, name) == 1,
                 "[views] operations: expected each operation once, got '", name, "' twice");
    const std::optional<Step> step = step_of(name);
    if (!step) continue;
    ADASSL_CHECK(step != Step::kCrop ||
                     std::ranges::all_of(out, [](Step other) { return other == Step::kFlip; }),
                 "[views] operations: expected 'crop' before all operations but 'flip', got it "
                 "after others");
    out.push_back(*step);
  }
  return out;
}

Augmentation augmentation_of(const WeakView::Options& options) {
  Augmentation out{.steps = {Step::kFlip, Step::kCrop}};
  take(options.crop, out);
  return out;
}

Augmentation augmentation_of(const StrongView::Options& options) {
  Augmentation out{.steps = {Step::kFlip, Step::kCrop, Step::kJitter, Step::kGrey, Step::kBlur,
                             Step::kSolarise}};
  take(options.crop, out);
  take(options.colour, out);
  return out;
}

Augmentation augmentation_of(const OperationsView::Options& options) {
  Augmentation out{.steps = steps_of(options.operations)};
  take(options.crop, out);
  take(options.colour, out);
  return out;
}

}  // namespace

void CropOptions::visit(Fields& field) {
  field("size", size, "side of a view of an image, in pixels", {1, 4096});
  field("flip", flip, "probability of a mirror image", {0, 1});
  field("area", area, "smallest and largest share of the image that is seen", {1e-4, 1});
  field("ratio", ratio, "smallest and largest ratio of width to height of what is seen",
        {1e-2, 1e2});
}

void ColourOptions::visit(Fields& field) {
  field("jitter", jitter, "probability that the colours are jittered", {0, 1});
  field("brightness", brightness, "strength of the jitter: factors are within 1 - s and 1 + s",
        {0, 10});
  field("contrast", contrast, "as brightness", {0, 10});
  field("saturation", saturation, "as brightness", {0, 10});
  field("hue", hue, "largest turn of the hue; 0.5 is half a turn", {0, 0.5});
  field("grey", grey, "probability of a view without colour", {0, 1});
  field("blur", blur, "probability of a Gaussian blur", {0, 1});
  field("sigma", sigma, "smallest and largest standard deviation of the blur, in pixels", {0, 100});
  field("solarise", solarise, "probability that values from 128 on are inverted", {0, 1});
}

void OperationsView::Options::visit(Fields& field) {
  field("operations", operations, "which, in this order", operation_names());
  crop.visit(field);
  colour.visit(field);
  field("noise", noise, "arrays: standard deviation of the normal noise that is added", {0, 1e6});
  field("masking", masking, "arrays: probability that a value is replaced by 0", {0, 1});
}

void AugmentedView::require_arrays() const {
  throw Error(join("[views] kind = \"", name_,
                   "\" sees images; expected \"plain\" or \"operations\" for arrays"));
}

void AugmentedView::see(const images::Pixels& image, random::Sequence& draws,
                        std::span<uint8_t> out) const {
  const images::Look look = images::draw(augmentation_, image.width, image.height, draws);
  images::apply(augmentation_, look, image, size_, out);
}

void AugmentedView::see(std::span<const float>, random::Sequence&, std::span<float>) const {
  require_arrays();
}

WeakView::WeakView(const Options& options)
    : AugmentedView(Options::kName, options.crop.size, augmentation_of(options)) {}

StrongView::StrongView(const Options& options)
    : AugmentedView(Options::kName, options.crop.size, augmentation_of(options)) {}

OperationsView::OperationsView(const Options& options)
    : AugmentedView(Options::kName, options.crop.size, augmentation_of(options)),
      options_(options) {}

void OperationsView::require_images() const {
  for (const std::string& name : options_.operations) {
    ADASSL_CHECK(step_of(name), "[views] operations: expected operations of images, got '", name,
                 "', which is one of arrays");
  }
}

void OperationsView::require_arrays() const {
  for (const std::string& name : options_.operations) {
    ADASSL_CHECK(!step_of(name), "[views] operations: expected noise or masking for arrays, got '",
                 name, "', which is one of images");
  }
}

void OperationsView::see(std::span<const float> row, random::Sequence& draws,
                         std::span<float> out) const {
  ADASSL_CHECK(row.size() == out.size(), "[views] expected room for ", row.size(), " values, got ",
               out.size());
  require_arrays();
  std::ranges::copy(row, out.begin());
  for (const std::string& name : options_.operations) {
    for (float& value : out) {
      if (name == "noise") value += static_cast<float>(options_.noise * draws.normal());
      if (name == "masking" && draws.bernoulli(options_.masking)) value = 0;
    }
  }
}

}  // namespace adassl::data
