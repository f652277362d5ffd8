#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "adassl/data/samples/columns.h"
#include "adassl/data/samples/names.h"

namespace adassl::data {

/// Reads the columns of a CSV file. One of which all cells are numbers is a column of numbers, any
/// other is one of words.
DataColumns read_table(const std::filesystem::path& path);

/// A CSV file of observations. One cell that is empty, NaN or no number must not turn a channel
/// into words: a column of which more than half of the cells are numbers is one of numbers, in
/// which the other cells are NaN.
struct ObservedTable {
  DataColumns columns;
  std::map<int64_t, std::string> faults;  // by row: its first cell that should be a number
};

/// Columns in `labels` are read as those of other tables.
ObservedTable read_observations(const std::filesystem::path& path,
                                const std::vector<std::string>& labels);

/// The same, one row for each of `rows` samples in their order. Error if
/// there are more or fewer rows.
DataColumns read_table_by_row(const std::filesystem::path& path, int64_t rows);

/// Reads the columns of a CSV file whose rows name the samples they belong to. The column `key`
/// has the names; if it is empty, the column path, file, filename, image, name or id has. A name is
/// that of the sample, or only the last part of its path, with or without extension, where that is
/// unique. Error if a sample has no row or two; rows of other samples are ignored.
DataColumns read_table_by_name(const std::filesystem::path& path, const std::string& key,
                               const Names& names);

/// The column of a table that holds the samples' names; -1 if there is none.
int64_t key_column(const std::vector<std::string>& columns);

}  // namespace adassl::data
