#include "adassl/data/samples/sequences.h"

#include "adassl/core/error.h"
#include "adassl/data/samples/frame_folders.h"
#include "adassl/data/samples/video_files.h"

namespace adassl::data {
namespace {

bool is_either(std::string_view name) { return is_image_name(name) || video::is_video_name(name); }

constexpr FileKind kEither = {"videos or images", ".avi, .mp4, .mkv, .webm, .jpg, .png, ...",
                              &is_either, 1};

}  // namespace

std::unique_ptr<Sequences> open_sequences(const std::filesystem::path& path,
                                          const FileOptions& options, const Progress& progress) {
  const CheckedFiles found(kEither, path, options);
  int64_t videos = 0;
  for (int64_t i = 0; i < found.count(); ++i) videos += video::is_video_name(found.names()[i]);
  ADASSL_CHECK(videos == 0 || videos == found.count(), "[", path.string(),
               "] expected either videos or images to cut clips from, got ", videos, " and ",
               found.count() - videos, "; a list of files (samples.path) can choose");
  if (videos > 0) return std::make_unique<VideoFiles>(path, options, progress);
  return std::make_unique<FrameFolders>(path, options, progress);
}

}  // namespace adassl::data
