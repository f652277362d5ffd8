#include "adassl/storage/row_writer.h"

#include <cmath>

#include <fmt/format.h>

#include "adassl/core/error.h"
#include "adassl/storage/npy.h"
#include "adassl/storage/safetensors.h"

namespace adassl::storage {
namespace {

std::string header_of(const std::filesystem::path& path, const RowWriter::Matrix& matrix) {
  const std::vector<int64_t> shape = {matrix.rows, matrix.columns};
  if (path.extension() == ".npy") return npy_header(Dtype::kF32, shape, path.string());
  if (path.extension() == ".safetensors") {
    return safetensors_header(matrix.name, Dtype::kF32, shape, matrix.metadata);
  }
  std::string out;
  for (int64_t i = 0; i < matrix.columns; ++i) {
    out += fmt::format("{}{}_{}", i == 0 ? "" : ",", matrix.name, i);
  }
  return out + "\n";
}

/// One line of a CSV file; numbers have as many digits as reading them back needs.
std::string line_of(std::span<const float> row) {
  std::string out;
  for (size_t i = 0; i < row.size(); ++i) {
    if (i > 0) out += ',';
    if (std::isfinite(row[i])) {
      out += fmt::format("{}", row[i]);
    } else {
      out += std::isnan(row[i]) ? "nan" : row[i] > 0 ? "inf" : "-inf";
    }
  }
  return out + "\n";
}

}  // namespace

void require_row_format(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  ADASSL_CHECK(ending == ".npy" || ending == ".csv" || ending == ".safetensors", "[", path.string(),
               "] expected a name that ends with .npy, .csv or .safetensors");
}

RowWriter::RowWriter(const std::filesystem::path& path, const Matrix& matrix)
    : path_((require_row_format(path), path)),
      as_text_(path.extension() == ".csv"),
      rows_(matrix.rows),
      columns_(matrix.columns),
      file_(path) {
  file_.append(header_of(path, matrix));
}

void RowWriter::append(std::span<const float> rows) {
  const auto width = static_cast<size_t>(columns_);
  ADASSL_CHECK(width > 0 && rows.size() % width == 0, "[", path_.string(), "] expected rows of ",
               columns_, " numbers, got ", rows.size(), " numbers");
  const size_t count = rows.size() / width;
  written_ += static_cast<int64_t>(count);
  ADASSL_CHECK(written_ <= rows_, "[", path_.string(), "] expected ", rows_, " rows, got more");
  if (!as_text_) {
    file_.append({reinterpret_cast<const char*>(rows.data()), rows.size_bytes()});
    return;
  }
  for (size_t i = 0; i < count; ++i) file_.append(line_of(rows.subspan(i * width, width)));
}

void RowWriter::finish() {
  ADASSL_CHECK(written_ == rows_, "[", path_.string(), "] expected ", rows_, " rows, got ",
               written_);
  file_.finish();
}

}  // namespace adassl::storage
