#pragma once

#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it

#include <jpeglib.h>

/// How an error leaves libjpeg: by longjmp, with the library's own message. The function that calls
/// setjmp, and all between it and the library, hold nothing that needs a destructor.
namespace adassl::images {

/// The library's error handler; it begins with the struct that the library knows.
struct JpegErrors {
  jpeg_error_mgr base;
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

/// For error_exit.
inline void leave_jpeg(j_common_ptr info) {
  auto* handler = reinterpret_cast<JpegErrors*>(info->err);
  handler->base.format_message(info, handler->message);
  std::longjmp(handler->jump, 1);
}

}  // namespace adassl::images
