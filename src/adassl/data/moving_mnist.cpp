#include "adassl/data/moving_mnist.h"

#include <limits>

#include "adassl/core/error.h"
#include "adassl/core/host.h"
#include "adassl/core/text.h"
#include "adassl/kernels/threads.h"

namespace adassl::data {
namespace {

/// An array for `count` clips. Error when it would not fit into memory.
Array clips(int64_t count) {
  const double bytes = sizeof(float) * kSegment * kCanvas * kCanvas * static_cast<double>(count);
  const auto available = static_cast<double>(host::available_memory());
  ADASSL_CHECK(bytes < available,
               "[moving_mnist] expected a request for clips that fit into memory, got ", count,
               ": they need ", text::bytes(bytes), ", ", text::bytes(available), " are free");
  return make_array({count, 1, kSegment, kCanvas, kCanvas});
}

void put(const Vector& values, std::span<float> out) {
  for (size_t k = 0; k < values.size(); ++k) out[k] = static_cast<float>(values[k]);
}

Vector difference(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1]}; }

/// random.h numbers samples with 32 bits.
void require_numbered(int64_t count) {
  ADASSL_CHECK(count <= std::numeric_limits<uint32_t>::max(),
               "[moving_mnist] expected less than 2^32 samples, got ", count);
}

}  // namespace

struct MovingMnist::Digit {
  std::span<const float> image;
  int64_t label = 0;
  Start start;
};

MovingMnist::MovingMnist(const Options& options, uint64_t /*seed*/)
    : options_(options),
      placement_(options.placement == "rounded" ? Placement::kRounded : Placement::kBilinear),
      mnist_(read_mnist(options.folder)) {
  ADASSL_CHECK(options.validation < mnist_.train.count(),
               "[moving_mnist] validation: expected less than the ", mnist_.train.count(),
               " training digits of ", options.folder, ", got ", options.validation);
}

double MovingMnist::chance_of_y(int64_t label) const {
  return options_.setting == "A" ? 0.5 : 0.1 + 0.8 * static_cast<double>(label) / 9;
}

MovingMnist::Digit MovingMnist::draw_training(random::Sequence& draws) const {
  const auto number = static_cast<int64_t>(
      draws.below(static_cast<uint64_t>(mnist_.train.count() - options_.validation)));
  return {mnist_.train.image(number), mnist_.train.labels[static_cast<size_t>(number)],
          draw_start(draws)};
}

MovingMnist::Digit MovingMnist::draw_validation(random::Sequence& draws) const {
  const int64_t number =
      mnist_.train.count() - 1 -
      static_cast<int64_t>(draws.below(static_cast<uint64_t>(options_.validation)));
  return {mnist_.train.image(number), mnist_.train.labels[static_cast<size_t>(number)],
          draw_start(draws)};
}

void MovingMnist::make_pair(int64_t /*number*/, random::Sequence draws,
                            const PairPlace& out) const {
  const Digit digit = draw_training(draws);
  make_pair_of(digit, draws, out);
}

Batch MovingMnist::watched_pairs(const random::Stream& stream, int64_t count) const {
  Batch out = make_batch(shape(), count);
  kernels::parallel_for(count, [&](int64_t row) {
    random::Sequence draws = stream.at(static_cast<uint32_t>(row));
    const Digit digit = draw_validation(draws);
    make_pair_of(digit, draws, place_of(out, row));
  });
  return out;
}

void MovingMnist::make_pair_of(const Digit& digit, random::Sequence& draws,
                               const PairPlace& out) const {
  const Turn turn = draw_turn(digit.start, chance_of_y(digit.label), draws);
  int64_t segment = 0;
  for (const std::span<float> view : {out.x, out.x_plus, out.helper}) {
    draw_segment(digit.image, digit.start, turn, segment++, placement_, view);
  }
  put(digit.start.velocity, out.factors);
  put(turn.velocity, out.factors_plus);
  put(difference(turn.velocity, digit.start.velocity), out.change);
}

Samples MovingMnist::samples_from(const std::string& population, const random::Stream& stream,
                                  int64_t first, int64_t count) const {
  const bool test = population == "test";
  const bool validation = population == "validation";
  ADASSL_CHECK(test || validation || population == "train",
               "[moving_mnist] expected the population train, validation or test, got '",
               population, "'");
  ADASSL_CHECK(!test || first + count <= mnist_.test.count(), "[moving_mnist] expected at most ",
               mnist_.test.count(), " test clips, one for each test digit of ", options_.folder,
               ", got a request for ", first + count);
  require_numbered(first + count);
  const random::Stream source =
      test ? random::Stream(static_cast<uint64_t>(options_.test_seed), "moving_mnist/test")
           : stream;
  Samples out{clips(count), make_array({count, 3})};
  kernels::parallel_for(count, [&](int64_t i) {
    const int64_t number = first + i;
    random::Sequence draws = source.at(static_cast<uint32_t>(number));
    const Digit digit =
        test ? Digit{mnist_.test.image(number), mnist_.test.labels[static_cast<size_t>(number)],
                     draw_start(draws)}
             : (validation ? draw_validation(draws) : draw_training(draws));
    draw_segment(digit.image, digit.start, {}, 0, placement_, row_of(out.x, i));
    const std::span<float> known = row_of(out.known, i);
    put(digit.start.velocity, known);
    known[2] = static_cast<float>(digit.label);
  });
  return out;
}

Futures MovingMnist::futures(const random::Stream& stream, int64_t first, int64_t sources,
                             int64_t each) const {
  require_numbered(first + sources);
  require_numbered(each);
  Futures out{clips(sources), clips(sources * each), make_array({sources * each, 2}),
              make_array({sources * each, 2})};
  const random::Stream beginnings = stream.named("beginnings");
  kernels::parallel_for(sources, [&](int64_t k) {
    random::Sequence draws = beginnings.at(static_cast<uint32_t>(first + k));
    const Digit digit = draw_validation(draws);
    draw_segment(digit.image, digit.start, {}, 0, placement_, row_of(out.x, k));
    const random::Stream turns = stream.named("turns of " + std::to_string(first + k));
    for (int64_t j = 0; j < each; ++j) {
      const int64_t at = k * each + j;
      random::Sequence own = turns.at(static_cast<uint32_t>(j));
      const Turn turn = draw_turn(digit.start, chance_of_y(digit.label), own);
      draw_segment(digit.image, digit.start, turn, 1, placement_, row_of(out.x_plus, at));
      put(turn.velocity, row_of(out.factors_plus, at));
      put(difference(turn.velocity, digit.start.velocity), row_of(out.change, at));
    }
  });
  return out;
}

}  // namespace adassl::data
