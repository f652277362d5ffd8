#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "adassl/render/factors.h"
#include "adassl/storage/file.h"

/// The files beside the pictures.
namespace adassl::render {

/// float32 [N, 10], as numpy.save writes it.
void write_factors(const std::filesystem::path& path, std::span<const Factors> factors);

/// Writes a CSV file with the columns path, split and one for each factor (standardised), row by
/// row in constant memory.
class FactorTable {
 public:
  explicit FactorTable(const std::filesystem::path& path);
  void add(const std::string& name, const std::string& split, const Factors& raw);
  void finish() { file_.finish(); }

 private:
  storage::OutputFile file_;
};

}  // namespace adassl::render
