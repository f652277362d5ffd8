#pragma once

#include <vector>

#include "evaluation/fakes.h"

/// A source and methods for which the results of retrieval are known.
namespace adassl::testing {

inline constexpr int64_t kSources = 4;
inline constexpr int64_t kEach = 16;

/// Points in the plane that move by one of 4 x 4 steps. No two steps are equally long.
class Steps : public FakeSource {
 public:
  explicit Steps(bool tells = true) : tells_(tells) {}
  Shape shape() const override {
    return {.observation = {2}, .change = tells_ ? 2 : 0, .continues = true};
  }
  void make_pair(int64_t, random::Sequence draws, const data::PairPlace& out) const override {
    for (size_t k = 0; k < 2; ++k) {
      out.x[k] = static_cast<float>(4 * draws.uniform() - 2);
      const auto change = static_cast<float>(2 * draws.uniform() - 1);
      if (tells_) out.change[k] = change;
      out.x_plus[k] = out.x[k] + change;
    }
  }
  Futures futures(const random::Stream&, int64_t, int64_t sources, int64_t each) const override {
    std::vector<std::vector<double>> x, x_plus, change;
    for (int64_t s = 0; s < sources; ++s) {
      x.push_back({s % 2 == 0 ? -1.5 : 1.5, s / 2 == 0 ? -1.5 : 1.5});
      for (int64_t j = 0; j < each; ++j) {
        change.push_back(step(j));
        x_plus.push_back({x.back()[0] + change.back()[0], x.back()[1] + change.back()[1]});
      }
    }
    Futures out;
    out.x = array_of(x);
    out.x_plus = array_of(x_plus);
    out.change = array_of(change);
    return out;
  }

 protected:
  virtual std::vector<double> step(int64_t j) const {
    return {0.4 * static_cast<double>(j % 4) - 0.55, 0.41 * static_cast<double>(j / 4) - 0.52};
  }

 private:
  bool tells_;
};

/// Only two of the 16 futures look different: (0.1, 0.1) and (0.6, 0.6).
class Repeated : public Steps {
 protected:
  std::vector<double> step(int64_t j) const override {
    return j % 2 == 0 ? std::vector<double>{0.1, 0.1} : std::vector<double>{0.6, 0.6};
  }
};

inline Tensor on_torus(const Tensor& x) { return torch::cat({x.cos(), x.sin()}, 1); }

/// Embeds observations on a torus, with slightly different embeddings for equal observations in
/// different rows of a block, as convolutions may return. It has no r and predicts no change.
class Still : public FakeMethod {
 public:
  Tensor predict(const Tensor& e, const Tensor&) override { return on_torus(e); }
  Tensor target(const Tensor& x_plus) override {
    const Tensor row = torch::arange(x_plus.size(0), x_plus.options()).unsqueeze(1);
    return on_torus(x_plus) + 1e-4 * row;
  }
};

/// Knows that r = (2 change_y - 1, -change_x) moves x by the change.
class World : public Still {
 public:
  World() { weight_ = register_parameter("weight", torch::tensor({{0.0F, -1.0F}, {0.5F, 0.0F}})); }
  int64_t r_width() const override { return 2; }
  Tensor predict(const Tensor& e, const Tensor& r) override {
    return on_torus(e + (r + torch::tensor({1.0F, 0.0F})).matmul(weight_.t()));
  }
  Tensor target(const Tensor& x_plus) override { return on_torus(x_plus); }

 private:
  Tensor weight_;
};

}  // namespace adassl::testing
