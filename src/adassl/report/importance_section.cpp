#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/report/html.h"
#include "adassl/report/numbers.h"
#include "adassl/report/sections.h"

namespace adassl::report {
namespace {

constexpr double kWidth = 300, kLeft = 84, kTop = 4, kHeight = 14;

/// Importances of codes for factors, and the order in which codes are drawn.
struct Importance {
  std::vector<std::string> factors;
  std::vector<std::vector<double>> codes;  // [codes][factors]
  std::vector<size_t> order;
  double largest = 0;
};

size_t main_factor(const std::vector<double>& code) {
  return static_cast<size_t>(std::ranges::max_element(code) - code.begin());
}

/// Codes that serve the same factor stand together, the most important first.
void arrange(Importance& importance) {
  importance.order.resize(importance.codes.size());
  std::iota(importance.order.begin(), importance.order.end(), size_t{0});
  std::ranges::stable_sort(importance.order, [&](size_t a, size_t b) {
    const auto &left = importance.codes[a], &right = importance.codes[b];
    const size_t of_left = main_factor(left), of_right = main_factor(right);
    return of_left != of_right ? of_left < of_right : left[of_left] > right[of_right];
  });
}

Importance importance_of(const Record& record) {
  constexpr size_t kMost = 1 << 16;
  Importance out;
  for (const Json& name : child_of(record.rest, "factors")) {
    out.factors.push_back(name.is_string() ? name.get<std::string>() : "");
  }
  if (out.factors.empty()) return out;  // then no code has a main factor to be arranged by
  for (const Json& row : child_of(record.rest, "importance")) {
    std::vector<double> code;
    for (const Json& value : row.is_array() ? row : Json::array()) {
      const double number = value.is_number() ? value.get<double>() : 0;
      code.push_back(std::isfinite(number) ? std::max(number, 0.0) : 0);
    }
    ADASSL_CHECK(code.size() == out.factors.size(),
                 "[report] expected the importances of a code "
                 "for ",
                 out.factors.size(), " factors, got ", code.size());
    for (const double value : code) out.largest = std::max(out.largest, value);
    out.codes.push_back(std::move(code));
  }
  ADASSL_CHECK(out.codes.size() * out.factors.size() <= kMost, "[report] expected at most ", kMost,
               " importances, got ", out.codes.size(), " codes of ", out.factors.size(),
               " factors");
  arrange(out);
  return out;
}

std::string heat_map(const Importance& importance, const std::string& colour) {
  const double step = (kWidth - kLeft) / static_cast<double>(importance.codes.size());
  const double height = kTop + kHeight * static_cast<double>(importance.factors.size());
  std::string out = fmt::format(
      R"(<svg viewBox="0 0 {} {}" role="img" aria-label="importance of codes for factors">)",
      kWidth, height + 18);
  for (size_t f = 0; f < importance.factors.size(); ++f) {
    const double y = kTop + kHeight * static_cast<double>(f);
    out += fmt::format(R"(<text class="small" x="{}" y="{}" text-anchor="end">{}</text>)",
                       kLeft - 6, coordinate(y + kHeight - 4), escaped(importance.factors[f]));
    for (size_t place = 0; place < importance.order.size(); ++place) {
      const size_t code = importance.order[place];
      const double value = importance.codes[code][f];
      if (value <= 0) continue;
      out += fmt::format(
          R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}" fill-opacity="{:.2f}">)"
          "<title>code {}, {}: {}</title></rect>",
          coordinate(kLeft + step * static_cast<double>(place)), coordinate(y), coordinate(step),
          kHeight - 1, colour, value / importance.largest, code + 1, escaped(importance.factors[f]),
          typeset(number_text(value)));
    }
  }
  out += fmt::format(R"_(<rect x="{}" y="{}" width="{}" height="{}" fill="none" )_"
                     R"_(stroke="var(--hair)"/>)_",
                     kLeft, kTop, kWidth - kLeft, height - kTop);
  out += fmt::format(R"(<text class="small" x="{}" y="{}" text-anchor="middle">{} codes</text>)",
                     (kLeft + kWidth) / 2, coordinate(height + 13), importance.codes.size());
  return out + "</svg>";
}

}  // namespace

std::string importance_section(const Table& table, const Records& records) {
  std::map<std::string, const Record*> first_seed;
  for (const Record* record : latest_of(records, records::kImportance)) {
    first_seed.try_emplace(row_of(*record), record);
  }
  std::string cards, regressor;
  for (const Row& row : table.rows) {
    const auto found = first_seed.find(row.name);
    if (found == first_seed.end()) continue;
    const Importance importance = importance_of(*found->second);
    if (importance.codes.empty() || importance.factors.empty()) continue;
    regressor = text_of(found->second->rest, "regressor");
    cards += fmt::format(
        R"(<div class="card"><b><span class="swatch" style="background:{}"></span>{}</b> )"
        "<small>seed {}</small>{}</div>\n",
        colour_of(row.colour), escaped(row.label), seed_of(*found->second),
        heat_map(importance, colour_of(row.colour)));
  }
  if (cards.empty()) return "";
  return section("Importance of codes for factors",
                 fmt::format("Absolute weights of {}; darker is larger. Codes are ordered by the "
                             "factor that they serve most.",
                             escaped(regressor)),
                 R"(<div class="grid3">)" + cards + "</div>");
}

}  // namespace adassl::report
