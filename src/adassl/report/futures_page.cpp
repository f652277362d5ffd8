#include <fmt/format.h>

#include "adassl/report/futures.h"
#include "adassl/report/html.h"

namespace adassl::report {
namespace {

constexpr int kMilliseconds = 320;
constexpr double kHead = 44;  // room for the columns' names

/// The picture with the names of its columns above it.
std::string labelled(const FutureFigure& figure, const Image& size, const std::string& png) {
  const auto columns = static_cast<double>(figure.columns.size() + 1);
  const double across = static_cast<double>(size.width) / columns;
  std::string body = column_head(0, "the past", "x");
  for (size_t c = 0; c < figure.columns.size(); ++c) {
    const double x = across * static_cast<double>(c + 1);
    body += column_head(x, figure.columns[c].label, figure.columns[c].note);
  }
  body += fmt::format(R"(<image x="0" y="{}" width="{}" height="{}" href="{}"/>)", kHead,
                      size.width, size.height, png_link(png));
  return svg_picture(static_cast<double>(size.width), static_cast<double>(size.height) + kHead,
                     body);
}

std::string page_of(const std::string& title, const std::string& film, const std::string& picture) {
  const std::string film_note =
      "Each row is one clip. After its last frame the future is not decided: the second column "
      "shows all that may happen, laid over each other. The others show which of these futures the "
      "model&#39;s predictions come nearest to, for several draws of r.";
  const std::string still_note =
      "The past in grey, brighter the later; in orange where the digit may be at the end, "
      "brighter where more futures agree.";
  return html_page(
      title,
      fmt::format(
          "<p class=\"source\">What may happen next?</p>\n<h1>{}</h1>\n{}{}"
          "<footer>Made by adassl. Each future shown is a clip that may really follow.</footer>\n",
          escaped(title), section("It moves", film_note, film),
          section("All moments at once", still_note, picture)));
}

}  // namespace

FutureFiles futures_files(const FutureFigure& figure, const std::string& title) {
  const Image whole = still(figure);
  FutureFiles out;
  out.still = storage::encode_png(whole);
  out.moving = storage::encode_apng(moving(figure), kMilliseconds);
  out.picture = labelled(figure, whole, out.still);
  out.page = page_of(title, labelled(figure, whole, out.moving), out.picture);
  return out;
}

}  // namespace adassl::report
