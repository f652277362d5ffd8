#include "adassl/report/page.h"

#include <fmt/format.h>

#include "adassl/report/html.h"
#include "adassl/report/untrained.h"

namespace adassl::report {

std::string study_page(const Records& given, const PageOptions& options) {
  const Records records = untrained_as_rows(given);
  const Table table = make_table(records);
  const std::string title = !options.title.empty() ? options.title
                            : !table.title.empty() ? table.title
                                                   : "Results";
  std::string out = header_section(table, records, title);
  out += learning_section(table, records, options.pictures);
  out += results_section(table);
  out += scatter_section(table, records);
  out += curves_section(table, records);
  out += density_section(table, records);
  out += latent_section(records);
  out += control_section(table, records);
  out += factors_section(table, records);
  out += importance_section(table, records);
  out += geometry_section(records);
  out += all_metrics_section(records);
  if (!options.config_toml.empty()) {
    out += fmt::format("<details><summary>Configuration</summary><pre>{}</pre></details>\n",
                       escaped(options.config_toml));
  }
  out += "<footer>Made by adassl. Each number comes from a record of a run.</footer>\n";
  out += fmt::format("<script>{}</script>\n", hover_script());
  return html_page(title, out);
}

std::string run_page(const Records& records, const std::string& config_toml,
                     const std::string& title, const Pictures& pictures) {
  return study_page(records, {title, config_toml, pictures});
}

}  // namespace adassl::report
