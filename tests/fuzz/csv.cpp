#include "adassl/storage/csv.h"

#include "fuzz/harness.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adassl;
  const auto path = fuzz::file_with(fuzz::text_of(data, size));
  fuzz::accepted([&] {
    storage::CsvReader reader(path);
    std::string copy;
    const auto write = [&](const std::vector<std::string>& fields) {
      for (size_t i = 0; i < fields.size(); ++i) {
        copy += (i == 0 ? "" : ",") + storage::csv_field(fields[i]);
      }
      copy += "\n";
    };
    write(reader.columns());
    std::vector<std::vector<std::string>> lines;
    for (std::vector<std::string> fields; reader.next(fields);) {
      lines.push_back(fields);
      write(fields);
    }
    testing::put(fuzz::copy_of(path), copy);
    storage::CsvReader again(fuzz::copy_of(path));
    size_t line = 0;
    for (std::vector<std::string> fields; again.next(fields); ++line) {
      fuzz::require(line < lines.size() && fields == lines[line],
                    "a written table is the one that was read");
    }
    fuzz::require(line == lines.size(), "a written table has all its lines");
  });
  return 0;
}
