#pragma once

#include "adassl/data/samples/image_files.h"
#include "adassl/data/samples/samples.h"

namespace adassl::data {

/// Short clips cut out of folders of frames: every folder with images is a sequence, in the natural
/// order of its names, and a clip is `frames` of them, `every` frames apart. Clips begin at every
/// `stride`th frame. The time of a clip is the number of its first frame. A clip with a damaged
/// frame is unusable.
class Clips final : public SampleSet {
 public:
  struct Options : SampleOptions {
    static constexpr std::string_view kName = "clips";
    static constexpr std::string_view kSummary = "short clips out of folders of frames";
    int64_t frames = 3;
    int64_t every = 1;
    int64_t stride = 1;
    ImageFileOptions files;
    void visit(Fields& field) {
      SampleOptions::visit(field);
      field("frames", frames, "frames in a clip", {1, 256});
      field("every", every, "frames from one of them to the next", {1, 1e6});
      field("stride", stride, "frames from the beginning of a clip to that of the next", {1, 1e9});
      files.visit(field);
    }
  };
  Clips(const Options& options, const Progress& progress);

  int64_t count() const override { return static_cast<int64_t>(clips_.size()); }
  std::string name(int64_t i) const override;
  int64_t pictures() const override { return frames_; }
  storage::Image fetch_picture(int64_t i, int64_t frame) const override {
    return files_.read(file_of(i, frame));
  }
  std::pair<int64_t, int64_t> extent(int64_t i) const override {
    const FileRecord& record = files_.record(file_of(i, 0));
    return {record.width, record.height};
  }

 private:
  struct Clip {
    int64_t first;   // a place in order_
    int32_t number;  // of its first frame in its sequence
  };
  int64_t file_of(int64_t i, int64_t frame) const {
    const int64_t place = clips_[static_cast<size_t>(i)].first + frame * every_;
    return order_[static_cast<size_t>(place)];
  }
  void find_clips(const Options& options);

  ImageFiles files_;
  int64_t frames_;
  int64_t every_;
  std::vector<int64_t> order_;  // files by folder, then in natural order
  std::vector<Clip> clips_;
};

}  // namespace adassl::data
