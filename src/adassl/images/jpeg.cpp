#include <cstdio>  // jpeglib.h needs it
#include <cstring>
#include <string>
#include <vector>

#include <jerror.h>
#include <jpeglib.h>

#include "adassl/core/error.h"
#include "adassl/images/exif.h"
#include "adassl/images/formats.h"
#include "adassl/images/jpeg_errors.h"

namespace adassl::images {
namespace {

/// A progressive file can have thousands of scans, each as costly as the image.
constexpr int kMostScans = 200;

/// Level -1 is a warning. Those that mean missing or damaged pixels are errors for us; the others
/// (bytes between markers, odd versions) are common in good files. Nothing is printed.
void on_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  const int code = info->err->msg_code;
  if (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE ||
      code == JWRN_MUST_RESYNC) {
    leave_jpeg(info);
  }
}

void on_progress(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMostScans) return;
  auto* handler = reinterpret_cast<JpegErrors*>(info->err);
  std::snprintf(handler->message, sizeof handler->message, "more than %d scans", kMostScans);
  std::longjmp(handler->jump, 1);
}

/// A decompressor. The functions that return bool are those that the library may leave by longjmp:
/// they hold nothing that needs a destructor, and return false after an error.
class Jpeg {
 public:
  explicit Jpeg(Bytes file) : file_(file) {
    info_.err = jpeg_std_error(&handler_.base);
    handler_.base.error_exit = &leave_jpeg;
    handler_.base.emit_message = &on_message;
    handler_.base.output_message = [](j_common_ptr) {};
    progress_.progress_monitor = &on_progress;
    const bool worked = create() && read_header();
    if (!worked) jpeg_destroy_decompress(&info_);  // the destructor does not run after a throw
    require(worked);
  }
  Jpeg(const Jpeg&) = delete;
  Jpeg& operator=(const Jpeg&) = delete;
  ~Jpeg() { jpeg_destroy_decompress(&info_); }

  int64_t width() const { return info_.image_width; }
  int64_t height() const { return info_.image_height; }
  int64_t channels() const { return info_.num_components; }
  bool is_cmyk() const {
    return info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK;
  }

  int orientation() const {
    for (auto* marker = info_.marker_list; marker != nullptr; marker = marker->next) {
      const Bytes data = std::as_bytes(std::span(marker->data, marker->data_length));
      if (data.size() > 6 && std::memcmp(data.data(), "Exif\0\0", 6) == 0) {
        return exif_orientation(data);
      }
    }
    return 1;
  }

  /// Fills [height, width, 3], or [height, width, 4] for CMYK.
  void decode(uint8_t* out) { require(read_rows(out)); }

 private:
  bool create() {
    if (setjmp(handler_.jump) != 0) return false;
    jpeg_create_decompress(&info_);
    return true;
  }

  bool read_header() {
    if (setjmp(handler_.jump) != 0) return false;
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(file_.data()), file_.size());
    jpeg_save_markers(&info_, JPEG_APP0 + 1, 0xffff);
    jpeg_read_header(&info_, TRUE);
    return true;
  }

  bool read_rows(uint8_t* out) {
    if (setjmp(handler_.jump) != 0) return false;
    info_.progress = &progress_;
    // Coefficients of a progressive file take two bytes for each of at most four components.
    info_.mem->max_memory_to_use = static_cast<long>(8 * width() * height() + (64 << 20));
    info_.out_color_space = is_cmyk() ? JCS_CMYK : JCS_RGB;
    jpeg_start_decompress(&info_);
    const size_t stride = size_t{info_.output_width} * (is_cmyk() ? 4 : 3);
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW row = out + stride * info_.output_scanline;
      jpeg_read_scanlines(&info_, &row, 1);
    }
    return true;
  }

  void require(bool worked) const {
    ADASSL_CHECK(worked, "[image] expected a sound JPEG file, got: ", handler_.message);
  }

  Bytes file_;
  JpegErrors handler_{};
  jpeg_progress_mgr progress_{};
  jpeg_decompress_struct info_{};
};

/// a * b / 255, rounded.
unsigned product(unsigned a, unsigned b) {
  const unsigned sum = a * b + 128;
  return (sum + (sum >> 8)) >> 8;
}

/// Files store CMYK inverted, as Adobe's programs do: 255 is no ink.
void rgb_of_cmyk(std::span<const uint8_t> cmyk, std::span<uint8_t> rgb) {
  for (size_t i = 0; i < rgb.size() / 3; ++i) {
    const unsigned white = cmyk[4 * i + 3];
    for (size_t c = 0; c < 3; ++c) {
      rgb[3 * i + c] = static_cast<uint8_t>(white - product(255U - cmyk[4 * i + c], white));
    }
  }
}

}  // namespace

Facts inspect_jpeg(Bytes file) {
  const Jpeg jpeg(file);
  return facts_of(Format::kJpeg, jpeg.width(), jpeg.height(), jpeg.channels(), jpeg.orientation());
}

storage::Image decode_jpeg(Bytes file, const Limits& limits) {
  Jpeg jpeg(file);
  require_within(jpeg.width(), jpeg.height(), limits);
  storage::Image image = storage::make_image(jpeg.width(), jpeg.height(), 3);
  if (jpeg.is_cmyk()) {
    std::vector<uint8_t> cmyk(static_cast<size_t>(4 * image.width * image.height));
    jpeg.decode(cmyk.data());
    rgb_of_cmyk(cmyk, image.pixels);
  } else {
    jpeg.decode(image.pixels.data());
  }
  return oriented(std::move(image), jpeg.orientation());
}

}  // namespace adassl::images
