#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include <png.h>

#include "adassl/core/error.h"
#include "adassl/images/exif.h"
#include "adassl/images/formats.h"

namespace adassl::images {
namespace {

constexpr png_alloc_size_t kLargestChunk = 8 << 20;  // of metadata, unpacked
constexpr png_uint_32 kLargestSide = 1'000'000;

/// A decoder. The functions that return bool are those that the library may leave by longjmp: they
/// hold nothing that needs a destructor, and return false after an error.
class Png {
 public:
  explicit Png(Bytes file) : file_(file) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &on_error, &on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
    const bool worked = read_header();
    if (!worked) png_destroy_read_struct(&png_, &info_, nullptr);
    require(worked);
  }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;
  ~Png() { png_destroy_read_struct(&png_, &info_, nullptr); }

  int64_t width() const { return png_get_image_width(png_, info_); }
  int64_t height() const { return png_get_image_height(png_, info_); }
  bool has_alpha() const {
    return (colours() & PNG_COLOR_MASK_ALPHA) != 0 ||
           png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
  }
  int64_t channels() const {
    return ((colours() & PNG_COLOR_MASK_COLOR) != 0 ? 3 : 1) + (has_alpha() ? 1 : 0);
  }

  int orientation() const {
    png_bytep block = nullptr;
    png_uint_32 size = 0;
    if (png_get_eXIf_1(png_, info_, &size, &block) == 0 || block == nullptr) return 1;
    return exif_orientation(std::as_bytes(std::span(block, size)));
  }

  /// Fills [height, width, 4 with alpha, 3 without].
  void decode(uint8_t* out) { require(read_rows(out)); }

 private:
  static void on_error(png_structp png, png_const_charp message) {
    auto* self = static_cast<Png*>(png_get_error_ptr(png));
    std::snprintf(self->message_, sizeof self->message_, "%s", message);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}

  static void read(png_structp png, png_bytep out, size_t count) {
    auto* self = static_cast<Png*>(png_get_io_ptr(png));
    if (count > self->file_.size() - self->used_) png_error(png, "the file ends too early");
    std::memcpy(out, self->file_.data() + self->used_, count);
    self->used_ += count;
  }

  int colours() const { return png_get_color_type(png_, info_); }

  bool read_header() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_read_fn(png_, this, &read);
    png_set_user_limits(png_, kLargestSide, kLargestSide);
    png_set_chunk_malloc_max(png_, kLargestChunk);
    png_set_chunk_cache_max(png_, 64);
    // Texts and colour profiles are compressed and of no use here.
    static const png_byte kIgnored[] = "iCCP\0zTXt\0iTXt\0tEXt\0sPLT";
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, kIgnored, sizeof kIgnored / 5);
    png_read_info(png_, info_);
    return true;
  }

  bool read_rows(uint8_t* out) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    const size_t stride = static_cast<size_t>(width()) * (has_alpha() ? 4 : 3);
    png_set_expand(png_);  // palettes and few bits to 8 bits, a transparent colour to alpha
    png_set_scale_16(png_);
    png_set_gray_to_rgb(png_);
    const int passes = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    if (png_get_rowbytes(png_, info_) != stride) png_error(png_, "unexpected size of a row");
    const int64_t rows = height();
    for (int pass = 0; pass < passes; ++pass) {
      for (int64_t y = 0; y < rows; ++y) {
        png_read_row(png_, out + static_cast<size_t>(y) * stride, nullptr);
      }
    }
    png_read_end(png_, nullptr);
    return true;
  }

  void require(bool worked) const {
    ADASSL_CHECK(worked, "[image] expected a sound PNG file, got: ", message_);
  }

  Bytes file_;
  size_t used_ = 0;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  char message_[128] = "";
};

}  // namespace

Facts inspect_png(Bytes file) {
  const Png png(file);
  return facts_of(Format::kPng, png.width(), png.height(), png.channels(), png.orientation());
}

storage::Image decode_png(Bytes file, const Limits& limits) {
  Png png(file);
  require_within(png.width(), png.height(), limits);
  const int orientation = png.orientation();
  storage::Image image = storage::make_image(png.width(), png.height(), 3);
  if (png.has_alpha()) {
    std::vector<uint8_t> rgba(static_cast<size_t>(4 * image.width * image.height));
    png.decode(rgba.data());
    lay_over_white(rgba, image.pixels);
  } else {
    png.decode(image.pixels.data());
  }
  return oriented(std::move(image), orientation);
}

}  // namespace adassl::images
