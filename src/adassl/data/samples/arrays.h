#pragma once

#include <map>
#include <string>
#include <vector>

#include "adassl/data/samples/array_file.h"
#include "adassl/data/samples/samples.h"

namespace adassl::data {

/// What is done to the numbers of rows, samples.mean and samples.deviation:
///   x = (v - mean) / deviation,   one of each for all numbers of a row, or one for each
class Standardised {
 public:
  Standardised() = default;
  /// `width` is how many numbers a row has. Error if there are neither one nor as many.
  Standardised(const std::vector<double>& mean, const std::vector<double>& deviation,
               int64_t width);
  /// In place; `values` are whole rows.
  void apply(std::span<float> values) const;
  bool changes() const { return !mean_.empty() || !scale_.empty(); }

 private:
  std::vector<float> mean_, scale_;
};

/// Rows of a file of numbers, or windows of a time series. With a window of W rows, sample k is
///   x_k = (v_t - mean) / deviation,   t = s_k, ..., s_k + W - 1
/// where the windows begin at every `stride`th row of a sequence, and the columns of a window are
/// those of its last row. Samples with a NaN or an infinity are rejected.
class Arrays final : public SampleSet {
 public:
  struct Options : SampleOptions {
    static constexpr std::string_view kName = "arrays";
    static constexpr std::string_view kSummary =
        "rows of numbers, or windows of a time series (npy, npz, CSV, safetensors)";
    std::string array;
    std::vector<std::string> labels;
    int64_t window = 0;
    int64_t stride = 1;
    std::vector<double> mean;
    std::vector<double> deviation;
    void visit(Fields& field);
  };

  Arrays(const Options& options, const Progress& progress);

  int64_t count() const override { return static_cast<int64_t>(begins_.size()); }
  std::string name(int64_t i) const override;
  std::vector<int64_t> shape() const override { return shape_; }
  void fetch_row(int64_t i, std::span<float> out) const override;
  /// Numbers in a row of the file; a window has several rows.
  int64_t width() const { return width_; }

 private:
  void place_in_time(const Options& options, int64_t rows);
  void reject_nonfinite(const Options& options, const std::map<int64_t, std::string>& faults);

  storage::NpyArray values_;
  int64_t width_ = 1;   // numbers in a row
  int64_t window_ = 1;  // rows in a sample
  std::vector<int64_t> shape_;
  std::vector<int64_t> begins_;  // the first row of each sample
  Standardised standardised_;
};

}  // namespace adassl::data
