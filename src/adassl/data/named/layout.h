#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adassl/data/samples/columns.h"
#include "adassl/data/samples/images.h"

/// What the readers of published data sets share.
namespace adassl::data {

/// Reads the lines of a text file as fields between blanks; empty lines are skipped. The fields
/// are valid as long as the reader lives.
class TextLines {
 public:
  explicit TextLines(const std::filesystem::path& path);

  bool next(std::vector<std::string_view>& fields);
  /// "path:line" of the line that was read last.
  std::string where() const;

 private:
  std::string name_;
  std::string text_;
  size_t at_ = 0;
  int64_t line_ = 0;
};

/// A whole number and nothing else.
std::optional<int64_t> whole_number_in(std::string_view field);

/// Where a published data set can be had.
struct Publication {
  std::string_view name;     // "3DIdent"
  std::string_view address;  // "it is at https://..."
};

/// Error of one line unless `folder / part` is there.
void require_part(const Publication& publication, const std::filesystem::path& folder,
                  const std::filesystem::path& part);

/// Error unless a name leads to a file below the folder: it is relative and has no "..".
void require_inside(std::string_view name, const std::string& where);

/// Remarks on counts other than the published ones: "12 training images, where 250000 were
/// published".
void compare(int64_t found, int64_t published, const std::string& what,
             std::vector<std::string>& remarks);

/// Adds the column `split`, of which `parts` says the words for so many samples each.
struct SplitPart {
  std::string name;
  int64_t count = 0;
};
DataColumn split_column(const std::vector<SplitPart>& parts);

/// A column of words that are labels, so that their order is that of the numbers: "007".
DataColumn label_column(const std::string& name, const std::vector<int32_t>& labels);

}  // namespace adassl::data
