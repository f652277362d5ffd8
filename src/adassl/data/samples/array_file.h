#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "adassl/data/samples/columns.h"
#include "adassl/storage/npy.h"

namespace adassl::data {

/// The rows of a file of numbers, and what else it says about them.
struct ArrayFile {
  storage::NpyArray values;                    // [rows, ...]
  DataColumns columns;                         // one value for each row
  std::map<int64_t, std::string> faults = {};  // cells of a CSV file that are no numbers, by row
};

/// Reads .npy, .npz, .safetensors, .csv or .tsv, in upper or lower case.
///
/// Of several arrays in one file, `array` names the one with the samples; if it is empty, that is
/// the only array with more than one dimension. Other arrays with one number for each row become
/// columns. The values of a CSV file are its columns of numbers (read_observations) but for those
/// in `labels`, which become columns, as columns of words do. Error if there are no rows.
ArrayFile read_array_file(const std::filesystem::path& path, const std::string& array,
                          const std::vector<std::string>& labels);

/// Converts elements `first`, `first + 1`, ... to float32.
void to_floats(const storage::NpyArray& array, int64_t first, std::span<float> out);

/// Element i of an array of int64, int32 or uint32.
int64_t whole_number(const storage::NpyArray& array, int64_t i);

}  // namespace adassl::data
