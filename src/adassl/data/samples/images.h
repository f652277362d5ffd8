#pragma once

#include "adassl/data/samples/image_files.h"
#include "adassl/data/samples/samples.h"

namespace adassl::data {

/// The column that says which part of a published data set a sample belongs to: train, validation
/// or test.
inline constexpr const char* kSplitColumn = "split";

/// Images that are known one by one, with everything that is said about them: a published data set.
struct ListedImages {
  std::filesystem::path folder;        // names are relative to it
  std::filesystem::path described_by;  // names the list in messages and its index of checked files
  Names names = {};
  DataColumns columns = {};
  std::vector<std::string> declared = {};  // kinds of columns, "hue:real"
  std::vector<std::string> remarks = {};
};

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
  Images(ListedImages list, const FileOptions& options, double tolerate, const Progress& progress);

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
  void reject_faulty(double tolerate, const std::string& where);

  ImageFiles files_;
};

/// The entry of a kind of samples whose options can list them.
template <class Options>
SamplesEntry listed_entry() {
  return {part_description<Options>(),
          [](Config& config, const std::string& section, const Progress& progress) {
            const auto options = config.read<Options>(section);
            return std::static_pointer_cast<SampleSet>(std::make_shared<Images>(
                options.list(), options.files, options.tolerate, progress));
          }};
}

/// A column `folder` of these paths.
DataColumn folder_column(const Names& names);

}  // namespace adassl::data
