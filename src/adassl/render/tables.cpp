#include "adassl/render/tables.h"

#include <fmt/format.h>

#include "adassl/storage/npy.h"

namespace adassl::render {

void write_factors(const std::filesystem::path& path, std::span<const Factors> factors) {
  static_assert(sizeof(Factors) == kFactors * sizeof(float));
  storage::write_npy(path, storage::Dtype::kF32,
                     {static_cast<int64_t>(factors.size()), static_cast<int64_t>(kFactors)},
                     std::as_bytes(factors));
}

FactorTable::FactorTable(const std::filesystem::path& path) : file_(path) {
  file_.append(fmt::format("path,split,{}\n", fmt::join(kFactorNames, ",")));
}

void FactorTable::add(const std::string& name, const std::string& split, const Factors& raw) {
  file_.append(fmt::format("{},{},{:.7g}\n", name, split, fmt::join(standardised(raw), ",")));
}

}  // namespace adassl::render
