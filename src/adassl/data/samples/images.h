#pragma once

#include "adassl/data/samples/image_files.h"
#include "adassl/data/samples/samples.h"

namespace adassl::data {

/// The images of a folder of any layout, or of a list of paths (a text file with one path on each
/// line, or a CSV file with a column of paths). The column `folder` says where an image lies.
class Images final : public SampleSet {
 public:
  struct Options : SampleOptions {
    static constexpr std::string_view kName = "images";
    static constexpr std::string_view kSummary =
        "the JPEG, PNG and WebP files of a folder or of a list";
    FileOptions files;
    void visit(Fields& field) {
      SampleOptions::visit(field);
      files.visit(field);
    }
  };
  Images(const Options& options, const Progress& progress);

  int64_t count() const override { return files_.count(); }
  std::string name(int64_t i) const override { return std::string(files_.names()[i]); }
  int64_t pictures() const override { return 1; }
  storage::Image fetch_picture(int64_t i, int64_t /*frame*/) const override {
    return files_.read(i);
  }
  std::pair<int64_t, int64_t> extent(int64_t i) const override {
    return {files_.record(i).width, files_.record(i).height};
  }
  uint64_t content(int64_t i) const override { return files_.record(i).content; }
  const ImageFiles& files() const { return files_; }

 private:
  ImageFiles files_;
};

/// A column `folder` of these paths.
DataColumn folder_column(const Names& names);

}  // namespace adassl::data
