#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "adassl/data/samples/columns.h"
#include "adassl/data/samples/names.h"

namespace adassl::data {

/// Reads the columns of a CSV file.
DataColumns read_table(const std::filesystem::path& path);

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
