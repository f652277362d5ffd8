#pragma once

#include "adassl/data/samples/samples.h"
#include "adassl/data/samples/sequences.h"

namespace adassl::data {

/// Short clips cut out of videos or out of folders of frames (sequences.h). A clip is `frames`
/// frames of a sequence, `every` frames apart. Clips begin at every `stride`th frame. The time of a
/// clip is the number of its first frame, unless `rate` or `clock` make seconds of it. A clip with
/// a damaged frame is unusable, and a video that cannot be read counts as one unusable clip.
class Clips final : public SampleSet {
 public:
  struct Options : SampleOptions {
    static constexpr std::string_view kName = "clips";
    static constexpr std::string_view kSummary = "short clips out of videos or folders of frames";
    int64_t frames = 3;
    int64_t every = 1;
    int64_t stride = 1;
    std::string clock = "frames";
    FileOptions files;
    void visit(Fields& field) {
      SampleOptions::visit(field);
      field("frames", frames, "frames in a clip", {1, 256});
      field("every", every, "frames from one of them to the next", {1, 1e6});
      field("stride", stride, "frames from the beginning of a clip to that of the next", {1, 1e9});
      field("clock", clock,
            "what the time of a clip is: the number of its first frame, or the second at which its "
            "video shows it",
            {"frames", "seconds"});
      files.visit(field);
    }
  };
  Clips(const Options& options, const Progress& progress);

  int64_t count() const override { return static_cast<int64_t>(firsts_.size()); }
  std::string name(int64_t i) const override;
  int64_t pictures() const override { return frames_; }
  storage::Image fetch_picture(int64_t i, int64_t frame) const override {
    return from_->read(sequence(i), place(i, frame));
  }
  std::pair<int64_t, int64_t> extent(int64_t i) const override {
    return from_->extent(sequence(i));
  }
  uint64_t content(int64_t i) const override;

 private:
  /// The number of a clip's frame in its sequence.
  int64_t place(int64_t i, int64_t frame) const {
    return firsts_[static_cast<size_t>(i)] + frame * every_;
  }
  void cut(const Options& options);
  void tell_time(const Options& options);
  void find_columns(const Options& options);
  void reject(const Options& options);

  std::unique_ptr<Sequences> from_;
  int64_t frames_;
  int64_t every_;
  std::vector<int32_t> firsts_;  // the number of each clip's first frame in its sequence
};

}  // namespace adassl::data
