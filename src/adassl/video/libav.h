#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avstring.h>
#include <libavutil/imgutils.h>
#include <libavutil/mem.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

namespace adassl::video {

/// A library that is opened while the program runs, and stays open. Failure if it is not there.
class SharedLibrary {
 public:
  /// A function of the library, as a pointer of whatever type is asked for.
  struct Symbol {
    void* address;
    template <class Function>
    operator Function*() const {
      return reinterpret_cast<Function*>(address);
    }
  };

  explicit SharedLibrary(const char* name);
  Symbol operator[](const char* function) const;

 private:
  const char* name_;
  void* handle_;
};

/// The functions of libav that this folder calls. It brings 128 shared libraries with it, and to
/// load them takes 20 ms of CPU time. So the program is not linked to it: it is opened when the
/// first video is, and a command that sees none does without. The versions are those of the
/// headers, since libav's structs differ between them.
struct Libav {
  SharedLibrary util{"libavutil.so." AV_STRINGIFY(LIBAVUTIL_VERSION_MAJOR)};
  SharedLibrary codec{"libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR)};
  SharedLibrary format{"libavformat.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR)};
  SharedLibrary scale{"libswscale.so." AV_STRINGIFY(LIBSWSCALE_VERSION_MAJOR)};

// A macro, so that the type and the name of a function cannot differ.
#define ADASSL_LIBAV(library, function) decltype(&::function) function = library[#function]
  ADASSL_LIBAV(util, av_dict_free);
  ADASSL_LIBAV(util, av_dict_set);
  ADASSL_LIBAV(util, av_dict_set_int);
  ADASSL_LIBAV(util, av_frame_alloc);
  ADASSL_LIBAV(util, av_frame_free);
  ADASSL_LIBAV(util, av_frame_get_buffer);
  ADASSL_LIBAV(util, av_frame_unref);
  ADASSL_LIBAV(util, av_freep);
  ADASSL_LIBAV(util, av_get_pix_fmt_name);
  ADASSL_LIBAV(util, av_image_copy_to_buffer);
  ADASSL_LIBAV(util, av_image_get_buffer_size);
  ADASSL_LIBAV(util, av_log_set_level);
  ADASSL_LIBAV(util, av_malloc);
  ADASSL_LIBAV(util, av_match_name);
  ADASSL_LIBAV(util, av_max_alloc);
  ADASSL_LIBAV(util, av_pix_fmt_desc_get);
  ADASSL_LIBAV(util, av_strerror);
  ADASSL_LIBAV(codec, av_packet_alloc);
  ADASSL_LIBAV(codec, av_packet_free);
  ADASSL_LIBAV(codec, av_packet_unref);
  ADASSL_LIBAV(codec, avcodec_alloc_context3);
  ADASSL_LIBAV(codec, avcodec_find_decoder);
  ADASSL_LIBAV(codec, avcodec_flush_buffers);
  ADASSL_LIBAV(codec, avcodec_free_context);
  ADASSL_LIBAV(codec, avcodec_get_name);
  ADASSL_LIBAV(codec, avcodec_open2);
  ADASSL_LIBAV(codec, avcodec_parameters_to_context);
  ADASSL_LIBAV(codec, avcodec_receive_frame);
  ADASSL_LIBAV(codec, avcodec_send_packet);
  ADASSL_LIBAV(format, av_find_best_stream);
  ADASSL_LIBAV(format, av_read_frame);
  ADASSL_LIBAV(format, av_seek_frame);
  ADASSL_LIBAV(format, av_stream_get_side_data);
  ADASSL_LIBAV(format, avformat_alloc_context);
  ADASSL_LIBAV(format, avformat_close_input);
  ADASSL_LIBAV(format, avformat_find_stream_info);
  ADASSL_LIBAV(format, avformat_open_input);
  ADASSL_LIBAV(format, avio_alloc_context);
  ADASSL_LIBAV(format, avio_context_free);
  ADASSL_LIBAV(format, avio_seek);
  ADASSL_LIBAV(scale, sws_freeContext);
  ADASSL_LIBAV(scale, sws_getCoefficients);
  ADASSL_LIBAV(scale, sws_getContext);
  ADASSL_LIBAV(scale, sws_isSupportedInput);
  ADASSL_LIBAV(scale, sws_scale);
  ADASSL_LIBAV(scale, sws_setColorspaceDetails);
#undef ADASSL_LIBAV
};

/// Opens libav at the first call. Failure if one of its libraries is not there.
const Libav& libav();

}  // namespace adassl::video
