#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "adassl/core/table.h"
#include "adassl/data/samples/columns.h"
#include "adassl/images/pixels.h"
#include "adassl/storage/png.h"

namespace adassl::data {

/// A sample that cannot be used, and why: a damaged file, or a row with a NaN.
struct Rejected {
  int64_t sample = 0;
  std::string name;
  std::string reason;
};

/// The samples of a data set: the first of its three parts. Samples are numbered in an order that
/// depends on their names alone. A set is either one of arrays, all of the same shape, or one of
/// pictures, where a sample has one or several of any size. Several threads may fetch at once.
class SampleSet {
 public:
  virtual ~SampleSet() = default;

  virtual int64_t count() const = 0;
  /// The path of a file below the folder, or "row 17".
  virtual std::string name(int64_t i) const = 0;

  /// The shape of an array; empty for pictures.
  virtual std::vector<int64_t> shape() const { return {}; }
  /// Fills `out` with the values of sample i. Only for arrays.
  virtual void fetch_row(int64_t i, std::span<float> out) const;

  /// The number of pictures that make up a sample: 1, or the frames of a clip; 0 for arrays.
  virtual int64_t pictures() const { return 0; }
  virtual storage::Image fetch_picture(int64_t i, int64_t frame) const;

  /// Width and height of a sample's pictures; 0 for arrays.
  virtual std::pair<int64_t, int64_t> extent(int64_t /*i*/) const { return {0, 0}; }
  /// A checksum of what sample i consists of: samples with different ones differ. 0 if it is not
  /// known.
  virtual uint64_t content(int64_t i) const;

  const DataColumns& columns() const { return columns_; }
  /// The entries of samples.columns: "hue:angle".
  const std::vector<std::string>& declared() const { return declared_; }

  /// Whether samples belong to sequences and have a time. Times are rows, frames or seconds.
  bool has_time() const { return !times_.empty(); }
  int32_t sequence(int64_t i) const { return sequences_[static_cast<size_t>(i)]; }
  double time(int64_t i) const { return times_[static_cast<size_t>(i)]; }
  /// The extent of a sample itself, in the unit of time: a window's rows.
  double duration() const { return duration_; }

  /// The samples that cannot be used, in ascending order.
  const std::vector<Rejected>& rejected() const { return rejected_; }
  /// What else a user should know, such as counts other than the published ones.
  const std::vector<std::string>& remarks() const { return remarks_; }

 protected:
  DataColumns columns_;
  std::vector<std::string> declared_;
  std::vector<int32_t> sequences_;
  std::vector<double> times_;
  double duration_ = 0;
  std::vector<Rejected> rejected_;
  std::vector<std::string> remarks_;
};

/// The option of all kinds of samples that says how many of them may be unusable.
void visit_tolerate(Fields& field, double& tolerate);

/// The options that all kinds of samples have.
struct SampleOptions {
  std::string path;
  std::string table;
  std::string key;
  std::vector<std::string> columns;
  std::string sequence;
  std::string time;
  double rate = 0;
  double tolerate = 0.01;
  void visit(Fields& field);
};

/// Told about long work: how much of it is done. Calls come from one thread.
using Progress = std::function<void(int64_t done, int64_t total, const std::string& what)>;

/// Makes numbers of sequences and times of samples from options.sequence ("folder", a column, or a
/// regular expression over the names) and options.time (a column). Without a sequence all samples
/// are one; without a time the natural order of the names within a sequence is it. Divided by
/// options.rate if there is one.
struct Timeline {
  std::vector<int32_t> sequences;
  std::vector<double> times;
};
Timeline timeline(const SampleSet& samples, const SampleOptions& options);

/// The numbers of the column with the times of the samples (samples.time). Error if one of them is
/// not finite: such times have no order.
std::vector<double> times_of_column(const SampleSet& samples, const std::string& name);

/// Error if more than the share `tolerate` of the samples cannot be used; it names the first ten.
void require_tolerable(const std::vector<Rejected>& rejected, int64_t count, double tolerate,
                       const std::string& where);

/// For each of `count` samples, whether it cannot be used.
std::vector<bool> flags_of(const std::vector<Rejected>& rejected, int64_t count);

/// The numbers of the samples that can be used, in ascending order.
std::vector<int64_t> usable_samples(const SampleSet& samples,
                                    const std::vector<Rejected>& rejected);

/// Whether a name ends as that of a file with arrays: .npy, .npz or .safetensors.
bool is_array_name(const std::filesystem::path& path);

using SamplesEntry = Entry<SampleSet, const Progress&>;

/// The table of contents of this folder.
const std::vector<SamplesEntry>& sample_kinds();

/// The kind that fits a path: clips for a video or a folder of videos without images, images for
/// another folder or a list of files, arrays for a file of numbers. Error if the path is none of
/// these.
std::string kind_of_samples(const std::filesystem::path& path);

}  // namespace adassl::data
