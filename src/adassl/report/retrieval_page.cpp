#include <fmt/format.h>

#include "adassl/report/html.h"
#include "adassl/report/retrieval.h"

namespace adassl::report {
namespace {

constexpr double kScale = 0.5;  // pixels are shown at half size: sharp on any screen
constexpr double kHead = 44;    // room for the columns' names

double scaled(int64_t pixels) { return kScale * static_cast<double>(pixels); }

std::string heads(const RetrievalFigure& figure, const RetrievalSheet& sheet) {
  std::string out = column_head(scaled(sheet.starts[0]), "source", "x") +
                    column_head(scaled(sheet.starts[1]), "true future", "x+ and change");
  for (size_t c = 0; c < figure.columns.size(); ++c) {
    const RetrievalColumn& column = figure.columns[c];
    out += column_head(scaled(sheet.starts[c + 2]), column.label, column.note);
  }
  return out;
}

std::string panels(const RetrievalSheet& sheet) {
  std::string out;
  for (const RetrievalPanel& panel : sheet.panels) {
    out += fmt::format(
        R"(<image x="{}" y="{}" width="{}" height="{}" href="{}"><title>{}</title></image>)",
        coordinate(scaled(panel.left)), coordinate(kHead + scaled(panel.top)),
        coordinate(scaled(panel.image.width)), coordinate(scaled(panel.image.height)),
        png_link(storage::encode_png(panel.image)), escaped(panel.about));
  }
  return out;
}

/// "rank 1", and beside it "to 8 with ties" where other clips are exactly as near as the truth.
std::string rank_text(const RetrievalFigure& figure, const RetrievalColumn& column, size_t row) {
  const int64_t best = column.ranks[row];
  const int64_t worst = column.worst_ranks[row];
  std::string out = fmt::format("rank {}", best);
  if (worst != best) {
    out += fmt::format(
        R"( <tspan style="fill:var(--muted);font-weight:400">to {} with ties</tspan>)", worst);
  }
  return out + fmt::format(
                   "<title>The truth is number {} of {} clips; {} where ties count against "
                   "the model.</title>",
                   best, figure.pool, worst);
}

std::string captions(const RetrievalFigure& figure, const RetrievalSheet& sheet) {
  std::string out;
  for (size_t row = 0; row < sheet.tops.size(); ++row) {
    const std::string y = coordinate(kHead + scaled(sheet.tops[row] + sheet.panel_height) + 17);
    if (row < figure.changes.size()) {
      out += fmt::format(R"(<text x="{}" y="{}">{}</text>)", coordinate(scaled(sheet.starts[1])), y,
                         typeset(figure.changes[row]));
    }
    for (size_t c = 0; c < figure.columns.size(); ++c) {
      out += fmt::format(R"(<text class="name" x="{}" y="{}">{}</text>)",
                         coordinate(scaled(sheet.starts[c + 2])), y,
                         rank_text(figure, figure.columns[c], row));
    }
  }
  return out;
}

std::string page_of(const RetrievalFigure& figure, const std::string& title,
                    const RetrievalSheet& sheet, const std::string& picture) {
  const std::string note = fmt::format(
      "Each row is one clip and one change of its velocity. The model predicts the embedding of "
      "the "
      "future from both; a model without r predicts it from the clip alone. The clips shown are "
      "those of the pool whose embeddings are nearest to the prediction. The pool holds {} futures "
      "of this clip and of others; those with the same pixels are shown once. The rank counts all "
      "of "
      "them: it is one more than the number of futures that are nearer than the true one. The "
      "second "
      "number is the rank when ties count against the model. A green frame marks the pixels of the "
      "true future. The past is grey and the future orange; later frames are brighter.",
      figure.pool);
  // Many models do not fit into a narrow window: then the picture scrolls and stays legible.
  const std::string body =
      fmt::format("<div class=\"scroll\"><div style=\"min-width:{}px\">{}</div></div>\n",
                  coordinate(0.8 * scaled(sheet.width)), picture);
  return html_page(
      title,
      fmt::format("<p class=\"source\">Which future does the model mean?</p>\n<h1>{}</h1>\n{}"
                  "<footer>Made by adassl. Each clip shown is one of the pool.</footer>\n",
                  escaped(title), section("The nearest clips", note, body)));
}

}  // namespace

RetrievalFiles retrieval_files(const RetrievalFigure& figure, const std::string& title) {
  const RetrievalSheet sheet = retrieval_sheet(figure);
  RetrievalFiles out;
  out.image = storage::encode_png(retrieval_image(figure, sheet));
  out.picture = svg_picture(
      scaled(sheet.width), kHead + scaled(sheet.height),
      std::string(kPaperGround) + heads(figure, sheet) + panels(sheet) + captions(figure, sheet));
  out.page = page_of(figure, title, sheet, out.picture);
  return out;
}

}  // namespace adassl::report
