#include <fmt/format.h>

#include "adassl/report/futures.h"
#include "adassl/report/html.h"

namespace adassl::report {
namespace {

constexpr int kMilliseconds = 320;
constexpr double kHead = 44;  // room for the columns' names

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t j = i; j < i + 3; ++j) {
      three = three << 8 | (j < bytes.size() ? static_cast<uint8_t>(bytes[j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      const bool beyond = i + j > bytes.size();
      out += beyond ? '=' : kDigits[three >> (18 - 6 * j) & 63U];
    }
  }
  return out;
}

/// The picture below its columns' names.
std::string labelled(const FutureFigure& figure, const Image& size, const std::string& png) {
  const auto columns = static_cast<double>(figure.columns.size() + 1);
  const double across = static_cast<double>(size.width) / columns;
  std::string heads;
  const auto head = [&](size_t column, const std::string& label, const std::string& note) {
    const double x = across * static_cast<double>(column);
    heads += fmt::format(
        R"(<text class="name" x="{0}" y="16">{1}</text><text x="{0}" y="34">{2}</text>)",
        coordinate(x), escaped(label), escaped(note));
  };
  head(0, "the past", "x");
  for (size_t c = 0; c < figure.columns.size(); ++c) {
    head(c + 1, figure.columns[c].label, figure.columns[c].note);
  }
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" )"
      R"(font-family="system-ui, sans-serif"><style>{2}</style>{3})"
      R"(<image x="0" y="{4}" width="{0}" height="{5}" href="data:image/png;base64,{6}"/></svg>)"
      "\n",
      size.width, static_cast<double>(size.height) + kHead, drawing_style(), heads, kHead,
      size.height, base64(png));
}

std::string page_of(const std::string& title, const std::string& film, const std::string& picture) {
  const std::string film_note =
      "Each row is one clip. After its last frame the future is not decided: the second column "
      "shows all that may happen, laid over each other. The others show which of these futures the "
      "model&#39;s predictions come nearest to, for several draws of r.";
  const std::string still_note =
      "The past in grey, brighter the later; in orange where the digit may be at the end, "
      "brighter where more futures agree.";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}{2}</style>\n</head>\n<body>\n"
      "<p class=\"source\">What may happen next?</p>\n<h1>{0}</h1>\n{3}{4}"
      "<footer>Made by adassl. Each future shown is a clip that may really follow.</footer>\n"
      "</body>\n</html>\n",
      escaped(title), drawing_style(), page_style(), section("It moves", film_note, film),
      section("All moments at once", still_note, picture));
}

}  // namespace

FutureFiles futures_files(const FutureFigure& figure, const std::string& title) {
  const Image whole = still(figure);
  FutureFiles out;
  out.still = encode_png(whole);
  out.moving = encode_apng(moving(figure), kMilliseconds);
  out.picture = labelled(figure, whole, out.still);
  out.page = page_of(title, labelled(figure, whole, out.moving), out.picture);
  return out;
}

}  // namespace adassl::report
