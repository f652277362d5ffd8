#include "adassl/data/pairing/list.h"
#include "fuzz/harness.h"

namespace {

/// Three samples with names that a list can use.
class ThreeSamples final : public adassl::data::SampleSet {
 public:
  int64_t count() const override { return 3; }
  std::string name(int64_t i) const override { return "f/" + std::to_string(i) + ".png"; }
};

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adassl;
  const ThreeSamples samples;
  const std::string text(fuzz::text_of(data, size));
  const auto path = fuzz::file_with(text);
  const auto array = path.parent_path() / "input.npy";
  testing::put(array, text);
  for (const auto& file : {path, array}) {
    fuzz::accepted([&] {
      data::ListPairing pairing({.path = file.string()}, {samples, 1});
      pairing.use(std::vector<int64_t>{0, 1, 2});
      random::Sequence draws = random::Stream(1, "fuzz").at(0);
      for (int64_t k = 0; k < pairing.count(); ++k) {
        const data::Pair pair = pairing.pair(k, draws);
        fuzz::require(
            pair.x >= 0 && pair.x < 3 && pair.x_plus >= 0 && pair.x_plus < 3 && pair.further < 3,
            "a pair consists of samples");
      }
      fuzz::require(static_cast<int64_t>(pairing.bonds().group.size()) == 3,
                    "every sample has its group");
    });
  }
  return 0;
}
