#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "adassl/storage/file.h"

namespace adassl::storage {

/// Writes a matrix of float32 numbers row by row, in constant memory. The ending of the name says
/// how: .npy, .csv, or .safetensors with one tensor of this name. The file appears when finish() is
/// called, and replaces an older one.
class RowWriter {
 public:
  struct Matrix {
    std::string name;  // "embedding": of the tensor, or of the columns embedding_0, ...
    int64_t rows = 0;
    int64_t columns = 0;
    std::map<std::string, std::string> metadata = {};  // of a safetensors file
  };

  /// Error for another ending.
  RowWriter(const std::filesystem::path& path, const Matrix& matrix);
  /// Error if it is not a whole number of rows, or more of them than announced.
  void append(std::span<const float> rows);
  /// Error if rows are missing.
  void finish();

 private:
  std::filesystem::path path_;
  bool as_text_;
  int64_t rows_;
  int64_t columns_;
  int64_t written_ = 0;  // rows
  OutputFile file_;
};

/// Error unless the ending of the name is one that a RowWriter knows.
void require_row_format(const std::filesystem::path& path);

}  // namespace adassl::storage
