#pragma once

#include "adassl/data/views/view.h"

namespace adassl::data {

/// No randomness. An image's shorter side is resized, and a square in its centre is seen; with
/// `crop`, a square is cut out of its centre first. An array is seen as it is.
class PlainView final : public View {
 public:
  struct Options {
    static constexpr std::string_view kName = "plain";
    static constexpr std::string_view kSummary =
        "the sample as it is; of an image, a square in its centre";
    int64_t size = 64;
    int64_t shorter = 0;
    int64_t crop = 0;
    void visit(Fields& field) {
      field("size", size, "side of a view of an image, in pixels", {1, 4096});
      field("shorter", shorter,
            "length to which an image's shorter side is resized before its centre is cut; 0: size",
            {0, 8192});
      field("crop", crop,
            "side of the square that is cut out of an image's centre before it is resized; 0: the "
            "whole image",
            {0, 8192});
    }
  };

  explicit PlainView(const Options& options);

  void require_images() const override {}
  void require_arrays() const override {}
  int64_t size() const override { return options_.size; }
  void see(const images::Pixels& image, random::Sequence& draws,
           std::span<uint8_t> out) const override;
  void see(std::span<const float> row, random::Sequence& draws,
           std::span<float> out) const override;

 private:
  Options options_;
};

}  // namespace adassl::data
