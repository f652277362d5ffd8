#include <algorithm>
#include <mutex>

#include "adassl/adassl.h"
#include "adassl/core/text.h"
#include "adassl/evaluation/blocks.h"
#include "adassl/evaluation/evaluation.h"
#include "adassl/library/libtorch.h"
#include "adassl/nn/tensors.h"
#include "adassl/study/restore.h"

namespace adassl {
namespace {

/// Our kernels share one pool of threads, so only one model computes at a time.
std::mutex& computing() {
  static std::mutex mutex;
  return mutex;
}

const char* name_of(Element element) { return element == Element::kUint8 ? "uint8" : "float32"; }

/// The number of elements that a shape announces; 0 if it is negative or would overflow.
uint64_t count_of(const std::vector<int64_t>& shape) {
  uint64_t out = 1;
  for (const int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(out, static_cast<uint64_t>(extent), &out)) return 0;
  }
  return out;
}

void require_observations(const Array& x, const study::Restored& model) {
  const auto& one = model.observation;
  const bool fits =
      x.shape.size() == one.size() + 1 && std::equal(one.begin(), one.end(), x.shape.begin() + 1);
  ADASSL_CHECK(fits && x.rows() > 0, "[embed] expected observations [N, ", text::extents(one),
               "] with N > 0, got [", text::extents(x.shape), "]");
  ADASSL_CHECK(x.element() == model.element, "[embed] expected ", name_of(model.element),
               " observations, got ", name_of(x.element()));
  const size_t held = x.bytes.empty() ? x.values.size() : x.bytes.size();
  ADASSL_CHECK(held == count_of(x.shape), "[embed] expected ", count_of(x.shape),
               " numbers for the shape [", text::extents(x.shape), "], got ", held);
}

}  // namespace

struct Run::Model : study::Restored {
  /// f of x, block by block, as evaluations do it.
  template <class F>
  Array apply(const Array& given, F f) {
    require_observations(given, *this);
    Array changed;
    if (standardised.changes()) {
      changed = given;
      standardised.apply(changed.values);
    }
    const Array& x = standardised.changes() ? changed : given;
    return library::call([&] {
      const std::lock_guard lock(computing());
      nn::use_threads(*compute);
      const evaluation::Frozen frozen(*method);
      return nn::array_of(evaluation::in_blocks(nn::view(x), f));
    });
  }
};

Run::Run(const std::filesystem::path& directory, const Parts& parts)
    : model_(std::make_unique<Model>()) {
  const auto run = storage::RunDirectory::open(directory, storage::RunDirectory::Lock::kNo);
  static_cast<study::Restored&>(*model_) =
      library::call([&] { return study::restore_model(run, parts.tables()); });
}
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;
Run::~Run() = default;

Array Run::embed(const Array& x) const {
  return model_->apply(x, [&](const Tensor& block) { return model_->method->embed(block); });
}

Array Run::represent(const Array& x) const {
  return model_->apply(x, [&](const Tensor& block) { return model_->method->represent(block); });
}

const std::vector<int64_t>& Run::observation() const { return model_->observation; }
Element Run::element() const { return model_->element; }
const std::string& Run::method() const { return model_->method_name; }
int64_t Run::step() const { return model_->step; }

}  // namespace adassl
