#include "adassl/adassl.h"
#include "adassl/study/tables.h"

namespace adassl {

Parts::Parts() : tables_(std::make_unique<study::Tables>()) {}
Parts::Parts(Parts&&) noexcept = default;
Parts& Parts::operator=(Parts&&) noexcept = default;
Parts::~Parts() = default;

Parts& Parts::add(const data::SourceEntry& source) {
  tables_->sources.push_back(source);
  return *this;
}

}  // namespace adassl
