#include "adassl/images/encode.h"

#include <cstdlib>

#include "adassl/core/error.h"
#include "adassl/images/jpeg_errors.h"

namespace adassl::images {
namespace {

/// The library's state and what it has written. Nothing here needs a destructor: see formats.h.
struct Writer {
  JpegErrors handler;
  jpeg_compress_struct info;
  unsigned char* bytes;
  unsigned long size;
};

bool write(Writer& writer, const uint8_t* rgb, unsigned width, unsigned height, int quality) {
  jpeg_compress_struct& info = writer.info;
  if (setjmp(writer.handler.jump) != 0) return false;
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &writer.bytes, &writer.size);
  info.image_width = width;
  info.image_height = height;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < height) {
    auto* row = const_cast<uint8_t*>(rgb + size_t{3} * width * info.next_scanline);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  return true;
}

}  // namespace

std::string encode_jpeg(const Pixels& image, int quality) {
  ADASSL_CHECK(image.width <= JPEG_MAX_DIMENSION && image.height <= JPEG_MAX_DIMENSION,
               "[jpeg] expected sides of at most ", JPEG_MAX_DIMENSION, " pixels, got ",
               image.width, "x", image.height);
  Writer writer{};
  writer.info.err = jpeg_std_error(&writer.handler.base);
  writer.handler.base.error_exit = &leave_jpeg;
  const bool worked = write(writer, image.bytes.data(), static_cast<unsigned>(image.width),
                            static_cast<unsigned>(image.height), quality);
  std::string out(reinterpret_cast<char*>(writer.bytes), worked ? writer.size : 0);
  jpeg_destroy_compress(&writer.info);
  std::free(writer.bytes);
  ADASSL_CHECK(worked, "[jpeg] ", writer.handler.message);
  return out;
}

}  // namespace adassl::images
