#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "adassl/data/samples/checked_files.h"

namespace adassl::data {

/// Sequences of frames, out of which clips are cut. Several threads may read at once.
class Sequences {
 public:
  virtual ~Sequences() = default;

  virtual int64_t count() const = 0;
  /// The folder of the frames, or the file of the video.
  virtual std::string name(int64_t sequence) const = 0;
  /// 0 for a video that cannot be read.
  virtual int64_t frames(int64_t sequence) const = 0;
  virtual storage::Image read(int64_t sequence, int64_t frame) const = 0;
  /// Why this frame cannot be used; empty if it can.
  virtual std::string fault(int64_t sequence, int64_t frame) const = 0;
  /// Whether the disk failed while files were checked.
  virtual bool disk_failed() const = 0;
  /// Width and height of the frames.
  virtual std::pair<int64_t, int64_t> extent(int64_t sequence) const = 0;
  /// A checksum of a frame; 0 if it is not known.
  virtual uint64_t content(int64_t sequence, int64_t frame) const = 0;
  /// When a frame is shown. Error if that is not known.
  virtual double seconds(int64_t sequence, int64_t frame) const = 0;

  /// The file of a frame, as a number of files(): what a table is about.
  virtual int64_t file(int64_t sequence, int64_t frame) const = 0;
  virtual const Names& files() const = 0;
  /// Columns of a list of the files, besides the paths.
  virtual const DataColumns& columns() const = 0;
};

/// The videos of a file, a folder or a list, each of them a sequence; or folders of frames, in the
/// natural order of their names. Error if there are both, or neither.
std::unique_ptr<Sequences> open_sequences(const std::filesystem::path& path,
                                          const FileOptions& options, const Progress& progress);

}  // namespace adassl::data
