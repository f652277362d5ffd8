#pragma once

#include <cmath>
#include <utility>

#include <adassl/adassl.h>

/// Two windows of one signal: a tone that keeps its pitch while its loudness changes. The phase of
/// each window is random, and there is noise.
class Tones final : public adassl::data::PairwiseSource {
 public:
  /// What [data] can say in a configuration. kName is the value of data.kind.
  struct Options {
    static constexpr std::string_view kName = "tones";
    static constexpr std::string_view kSummary = "windows of a tone whose loudness changes";
    int64_t window = 32;
    double noise = 0.02;
    void visit(adassl::Fields& field) {
      field("window", window, "samples of the signal in an observation", {8, 4096});
      field("noise", noise, "standard deviation of the noise", {0, 10});
    }
  };

  Tones(const Options& options, uint64_t /*seed*/) : options_(options) {}

  /// One observation has `window` numbers. Of each we know two factors, and of each pair the
  /// change.
  Shape shape() const override {
    return {.observation = {options_.window}, .change = 1, .columns = {{"pitch"}, {"loudness"}}};
  }

  /// All randomness comes from `draws`: the same pair of the same run is always the same.
  void make_pair(int64_t /*pair*/, adassl::random::Sequence draws,
                 const adassl::data::PairPlace& out) const override {
    const double pitch = 0.5 + 1.5 * draws.uniform();  // periods in a window
    const double before = draws.normal();
    const double after = before + draws.normal();
    fill(out.x, pitch, before, draws);
    fill(out.x_plus, pitch, after, draws);
    out.change[0] = static_cast<float>(after - before);
    set(out.factors, pitch, before);
    set(out.factors_plus, pitch, after);
  }

  /// The observations on which an evaluation asks how well the factors can be read off.
  std::vector<std::string> populations() const override { return {"tones"}; }
  adassl::Samples samples(const std::string& /*population*/, const adassl::random::Stream& stream,
                          int64_t count) const override {
    adassl::Batch batch = pairs(stream, count);
    return {std::move(batch.x), std::move(batch.factors)};
  }

 private:
  void fill(std::span<float> window, double pitch, double loudness,
            adassl::random::Sequence& draws) const {
    constexpr double kTwoPi = 6.283185307179586;
    const double turn = kTwoPi * pitch / static_cast<double>(window.size());
    const double amplitude = std::exp(0.3 * loudness);
    const double phase = kTwoPi * draws.uniform();
    for (size_t i = 0; i < window.size(); ++i) {
      const double clean = amplitude * std::sin(phase + turn * static_cast<double>(i));
      window[i] = static_cast<float>(clean + options_.noise * draws.normal());
    }
  }

  static void set(std::span<float> factors, double pitch, double loudness) {
    factors[0] = static_cast<float>(pitch);
    factors[1] = static_cast<float>(loudness);
  }

  Options options_;
};
