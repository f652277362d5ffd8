#include "adassl/core/text.h"
#include "adassl/report/page.h"
#include "adassl/report/picture.h"
#include "fuzz/harness.h"
#include "support/html.h"

namespace adassl::report {
namespace {

/// Lines that are no records are left out, so that a damaged one does not hide what follows it.
Records records_of(std::string_view text) {
  Records out;
  for (const std::string& line : text::split(text, '\n')) {
    const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (auto record = records::parse(json)) out.push_back(std::move(*record));
  }
  return out;
}

/// What is written is what was read.
void require_round_trip(const Record& record) {
  const Json written = records::to_json(record);
  const auto read = records::parse(written);
  const auto dumped = [](const Json& json) {  // NaN is written as null
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  fuzz::require(read && dumped(records::to_json(*read)) == dumped(written),
                "a record survives being written and read");
}

void require_balanced(const std::string& html) {
  const std::string complaint = testing::unbalanced(html);
  fuzz::require(complaint.empty(), "tags are nested: " + complaint);
}

/// How many cells a Markdown row has.
size_t cells_of(std::string_view line) {
  size_t count = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else {
      count += line[i] == '|';
    }
  }
  return count - 1;
}

void require_markdown(const Table& table) {
  for (const std::string& line : text::split(to_markdown(table), '\n')) {
    if (line.empty()) return;  // the table ends here
    fuzz::require(cells_of(line) == table.columns.size() + 1, "a row of Markdown has all columns");
  }
}

void require_plain(const std::string& terminal) {
  for (const std::string& line : text::split(terminal, '\n')) {
    fuzz::require(fuzz::is_one_line(line), "a terminal gets no control characters from records");
  }
}

}  // namespace
}  // namespace adassl::report

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adassl;
  using namespace adassl::report;
  const Records records = records_of(fuzz::text_of(data, size));
  for (const Record& record : records) require_round_trip(record);
  fuzz::accepted([&] {
    const Table table = make_table(records);
    require_markdown(table);
    require_plain(to_terminal(table, false));
    to_terminal(table, true);
  });
  fuzz::accepted([&] { require_balanced(study_page(records, {"", "a = 1\n"})); });
  fuzz::accepted([&] { require_balanced(curves_picture(records)); });
  fuzz::accepted([&] { require_balanced(scatter_picture(records)); });
  return 0;
}
