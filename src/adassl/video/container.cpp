#include "adassl/video/container.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <vector>

#include "adassl/core/error.h"

namespace adassl::video {
namespace {

/// Libav takes no more memory at once. Its own limit is 2 GiB, and an MP4 of a kilobyte makes it
/// take several such blocks for samples that only its header states. A frame of the largest size
/// has at most 8 bytes a pixel; twice that leaves room for the borders that decoders add.
constexpr size_t kMostMemoryAtOnce = size_t{1} << 29;
static_assert(kMostMemoryAtOnce >= 2 * 8 * static_cast<size_t>(Limits{}.pixels));

constexpr const char* kContainers = "avi,mov,matroska";  // and their relatives: MP4, 3GP, WebM

class Options {
 public:
  Options() = default;
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  ~Options() { libav().av_dict_free(&all); }

  AVDictionary* all = nullptr;
};

int refuse_to_open(AVFormatContext* /*context*/, AVIOContext** /*input*/, const char* /*address*/,
                   int /*flags*/, AVDictionary** /*options*/) {
  return AVERROR(EPERM);
}

}  // namespace

const char* const kDecoders =
    "mpeg1video,mpeg2video,mpeg4,msmpeg4v2,msmpeg4,h263,h264,hevc,vp8,vp9,libdav1d,theora,wmv1,"
    "wmv2,mjpeg,dvvideo,ffv1,huffyuv,ffvhuff,rawvideo,png,prores,dnxhd";

void require_within(int64_t width, int64_t height, const Limits& limits) {
  ADASSL_CHECK(height <= limits.pixels / std::max<int64_t>(width, 1),
               "[video] expected frames of at most ", limits.pixels, " pixels, got ", width, "x",
               height);
}

std::string reason_of(int code) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  libav().av_strerror(code, text.data(), text.size());
  return text.data();
}

void ReleaseInput::operator()(AVIOContext* input) const {
  libav().av_freep(&input->buffer);
  libav().avio_context_free(&input);
}

Container::Container(const std::filesystem::path& path, const Limits& limits)
    : source_{storage::InputFile(path)} {
  static std::once_flag prepared;
  std::call_once(prepared, [] {
    libav().av_log_set_level(AV_LOG_QUIET);
    libav().av_max_alloc(kMostMemoryAtOnce);
  });
  ADASSL_CHECK(source_.file.size() > 0, "[video] is empty");
  open(limits);
  choose_stream();
}

// Libav calls these two through C, so they throw nothing.

int Container::read_some(void* source, uint8_t* out, int size) {
  auto& from = *static_cast<Source*>(source);
  if (from.offset >= from.file.size()) return AVERROR_EOF;
  const auto count = std::min(static_cast<uint64_t>(size), from.file.size() - from.offset);
  try {
    from.file.read_at(from.offset, std::as_writable_bytes(std::span(out, count)));
  } catch (const std::exception&) {
    from.failure = std::current_exception();
    return AVERROR(EIO);
  }
  from.offset += count;
  return static_cast<int>(count);
}

int64_t Container::go_to(void* source, int64_t offset, int whence) {
  auto& from = *static_cast<Source*>(source);
  const auto size = static_cast<int64_t>(from.file.size());
  if (whence == AVSEEK_SIZE) return size;
  const int64_t base = whence == SEEK_END   ? size
                       : whence == SEEK_CUR ? static_cast<int64_t>(from.offset)
                                            : 0;
  int64_t target = 0;
  if (__builtin_add_overflow(base, offset, &target) || target < 0) return AVERROR(EINVAL);
  from.offset = static_cast<uint64_t>(target);
  return target;
}

/// Throws the error of the disk, of which libav only says that the video is damaged or ends.
void Container::require_read() const {
  if (source_.failure) std::rethrow_exception(source_.failure);
}

void Container::open(const Limits& limits) {
  constexpr int kBlock = 1 << 16;
  auto* block = static_cast<uint8_t*>(libav().av_malloc(kBlock));
  input_.reset(libav().avio_alloc_context(block, kBlock, 0, &source_, &read_some, nullptr, &go_to));
  AVFormatContext* context = libav().avformat_alloc_context();
  ADASSL_CHECK(input_ && context != nullptr, "[video] there is no memory to open it");
  context->pb = input_.get();
  context->io_open = &refuse_to_open;
  Options options;
  libav().av_dict_set(&options.all, "format_whitelist", kContainers, 0);
  libav().av_dict_set(&options.all, "codec_whitelist", kDecoders, 0);
  const int opened = libav().avformat_open_input(&context, "", nullptr, &options.all);
  context_.reset(context);  // null where it failed
  require_read();
  ADASSL_CHECK(opened >= 0,
               "[video] expected a video (AVI, MP4, QuickTime, Matroska or WebM), got another "
               "format or a damaged header: ",
               reason_of(opened));
  // Libav decodes some frames to see what they are like; they are as hostile as all others.
  std::vector<Options> each(context_->nb_streams);
  std::vector<AVDictionary*> for_streams;
  for (size_t i = 0; i < each.size(); ++i) {
    const AVCodecParameters& facts = *context_->streams[i]->codecpar;
    require_within(facts.width, facts.height, limits);
    libav().av_dict_set_int(&each[i].all, "max_pixels", padded(limits.pixels), 0);
    for_streams.push_back(each[i].all);
  }
  const int found = libav().avformat_find_stream_info(context_.get(), for_streams.data());
  for (size_t i = 0; i < each.size(); ++i) each[i].all = for_streams[i];
  require_read();
  ADASSL_CHECK(found >= 0, "[video] has a damaged header: ", reason_of(found));
}

void Container::choose_stream() {
  const int best =
      libav().av_find_best_stream(context_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  for (unsigned i = 0; i < context_->nb_streams; ++i) {
    AVStream* stream = context_->streams[i];
    const bool picture = (stream->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;  // of a song
    if (static_cast<int>(i) == best && !picture) {
      stream_ = stream;
    } else {
      stream->discard = AVDISCARD_ALL;
    }
  }
  ADASSL_CHECK(stream_ != nullptr, "[video] has no video stream");
}

int Container::read(AVPacket& packet) {
  for (;;) {
    libav().av_packet_unref(&packet);
    const int got = libav().av_read_frame(context_.get(), &packet);
    require_read();
    if (got < 0) return got;
    // A packet without bytes says that the frame before it is shown for longer.
    if (packet.stream_index == stream_->index && packet.size > 0) return 0;
  }
}

void Container::seek(int64_t time) {
  const int done =
      libav().av_seek_frame(context_.get(), stream_->index, time, AVSEEK_FLAG_BACKWARD);
  require_read();
  ADASSL_CHECK(done >= 0, "[video] ", reason_of(done));
}

double Container::stated_end() const {
  if (context_->duration_estimation_method != AVFMT_DURATION_FROM_STREAM) return 0;  // a guess
  if (stream_->duration > 0) {
    const int64_t start = stream_->start_time == AV_NOPTS_VALUE ? 0 : stream_->start_time;
    return av_q2d(stream_->time_base) *
           (static_cast<double>(start) + static_cast<double>(stream_->duration));
  }
  const bool alone = context_->nb_streams == 1;
  return alone && context_->duration > 0 ? static_cast<double>(context_->duration) / AV_TIME_BASE
                                         : 0;
}

double Container::share() const {
  const auto size = static_cast<double>(source_.file.size());
  return std::clamp(static_cast<double>(libav().avio_seek(input_.get(), 0, SEEK_CUR)) / size, 0.0,
                    1.0);
}

}  // namespace adassl::video
