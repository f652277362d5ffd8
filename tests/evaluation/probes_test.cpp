#include "adassl/evaluation/probes.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "evaluation/fakes.h"

namespace adassl::evaluation {
namespace {

using testing::FakeMethod;
using testing::FakeSource;
using testing::results_of;

constexpr int64_t kClasses = 3;

/// x = (one of three corners, noise). The factor is the last entry of x times 2. The population
/// "fixed" is a list: every call returns its beginning, whatever the stream.
class Corners : public FakeSource {
 public:
  explicit Corners(bool labelled = true, bool measured = true)
      : labelled_(labelled), measured_(measured) {}

  Shape shape() const override {
    Shape out{.observation = {4}};
    if (measured_) out.columns.push_back({"place"});
    if (labelled_) out.columns.push_back({"corner", Column::Kind::kClass, kClasses});
    return out;
  }
  std::vector<std::string> populations() const override { return {"fresh", "fixed"}; }
  std::string held_out() const override { return "fixed"; }
  std::string watched() const override { return "watched"; }
  std::optional<int64_t> fixed_size(const std::string& population) const override {
    if (population != "fixed") return {};
    return 1000;
  }
  Samples samples(const std::string& population, const random::Stream& stream,
                  int64_t count) const override {
    asked_.push_back(population);
    EXPECT_LE(count, fixed_size(population).value_or(count));
    const random::Stream own = population == "fixed" ? random::Stream(7, "fixed") : stream;
    Samples out;
    out.x = make_array({count, 4});
    const auto columns = static_cast<int64_t>(shape().columns.size());
    if (columns > 0) out.known = make_array({count, columns});
    for (int64_t i = 0; i < count; ++i) {
      random::Sequence draws = own.at(static_cast<uint32_t>(i));
      const uint64_t label = draws.below(kClasses);
      const double place = draws.normal();
      const auto row = static_cast<size_t>(4 * i);
      for (size_t k = 0; k < 3; ++k) out.x.values[row + k] = 0.1F * float(draws.normal());
      out.x.values[row + label] += 1;
      out.x.values[row + 3] = static_cast<float>(place);
      if (measured_) row_of(out.known, i).front() = static_cast<float>(2 * place);
      if (labelled_) row_of(out.known, i).back() = static_cast<float>(label);
    }
    return out;
  }
  const std::vector<std::string>& asked() const { return asked_; }

 private:
  bool labelled_, measured_;
  mutable std::vector<std::string> asked_;
};

/// Provides two labels for each corner: its number, and whether it is the first.
class TwoLabels : public Corners {
 public:
  TwoLabels() : Corners(true, false) {}
  Shape shape() const override {
    Shape out = Corners::shape();
    out.columns.push_back({"first", Column::Kind::kBinary});
    return out;
  }
  Samples samples(const std::string& population, const random::Stream& stream,
                  int64_t count) const override {
    Samples out = Corners::samples(population, stream, count);
    for (int64_t i = 0; i < count; ++i) {
      const auto known = row_of(out.known, i);
      known[0] = known[1];
      known[1] = known[0] == 0 ? 1 : 0;
    }
    return out;
  }
};

/// The representation is all of x; the embedding omits the corner.
class Forgetful : public FakeMethod {
 public:
  Tensor project(const Tensor& x) override { return x.narrow(1, 3, 1); }
};

TEST(Probes, TakeNoMoreThanAFixedListHolds) {
  FakeMethod method;
  const Corners source;
  const Results results =
      results_of(Probes({.train_samples = 200, .test_samples = 5000}), method, source);
  EXPECT_EQ(results.metrics.at("representation_accuracy"), 1);
  EXPECT_EQ(source.asked(), (std::vector<std::string>{"fresh", "fixed"}));
}

TEST(Probes, ReadEveryColumnOfClasses) {
  FakeMethod method;
  const Results results =
      results_of(Probes({.train_samples = 400, .test_samples = 400}), method, TwoLabels());
  EXPECT_EQ(results.metrics.at("representation_accuracy_corner"), 1);
  EXPECT_EQ(results.metrics.at("representation_accuracy_first"), 1);
  EXPECT_EQ(results.metrics.at("representation_accuracy"), 1);
  const double corner = results.metrics.at("representation_knn_corner");
  const double first = results.metrics.at("representation_knn_first");
  EXPECT_GT(corner, 0.8);
  EXPECT_GT(first, 0.8);
  EXPECT_NEAR((corner + first) / 2, results.metrics.at("representation_knn"), 1e-12);
  EXPECT_FALSE(results.metrics.contains("representation_top5_corner")) << "it has three classes";
}

TEST(Probes, LeaveWhatIsKeptForTheEndAloneWhileWatching) {
  FakeMethod method;
  const Corners source;
  Results results;
  Probes({.train_samples = 200, .test_samples = 200})
      .run({method, source, 1, "probe", true}, results);
  EXPECT_EQ(source.asked(), (std::vector<std::string>{"fresh", "watched"}));
  EXPECT_TRUE(results.metrics.contains("embedding_r2"));
  EXPECT_FALSE(results.metrics.contains("accuracy_chance")) << "it would be a flat curve";
}

TEST(Probes, ReadWhatIsThereAndGuessWhatIsNot) {
  Forgetful method;
  const Corners source;
  const Results results =
      results_of(Probes({.train_samples = 2000, .test_samples = 3000}), method, source);
  EXPECT_EQ(results.metrics.at("representation_accuracy"), 1);
  EXPECT_NEAR(results.metrics.at("embedding_accuracy"), 1.0 / 3, 0.04);
  EXPECT_GT(results.metrics.at("representation_knn"), 0.95);
  EXPECT_NEAR(results.metrics.at("embedding_knn"), 1.0 / 3, 0.04);
  EXPECT_NEAR(results.metrics.at("representation_r2"), 1, 1e-6);
  EXPECT_NEAR(results.metrics.at("embedding_r2"), 1, 1e-6);
  EXPECT_EQ(results.metrics.at("representation_converged"), 1);
  EXPECT_EQ(results.metrics.at("embedding_converged"), 1);
  EXPECT_EQ(results.vectors.at("embedding_r2_per_factor").size(), 1U);
  EXPECT_NEAR(results.metrics.at("accuracy_chance"), 1.0 / 3, 0.04);
  EXPECT_EQ(results.metrics.size(), 9U);
}

/// Ten classes of unequal sizes, two binary columns, of which one says nothing about x, and an
/// angle. x = (the class as a one-hot vector, a point on a circle).
class Attributes : public FakeSource {
 public:
  Shape shape() const override {
    return {.observation = {12},
            .columns = {{"class", Column::Kind::kClass, 10},
                        {"first", Column::Kind::kBinary},
                        {"coin", Column::Kind::kBinary},
                        {"turn", Column::Kind::kAngle}}};
  }
  Samples samples(const std::string&, const random::Stream& stream, int64_t count) const override {
    Samples out{make_zeros({count, 12}), make_array({count, 4})};
    for (int64_t i = 0; i < count; ++i) {
      random::Sequence draws = stream.at(static_cast<uint32_t>(i));
      const uint64_t label = std::min(draws.below(10), draws.below(10));
      const double angle = 6.28 * draws.uniform();
      const auto x = row_of(out.x, i);
      x[label] = 1;
      x[10] = static_cast<float>(std::cos(angle));
      x[11] = static_cast<float>(std::sin(angle));
      const auto known = row_of(out.known, i);
      known[0] = static_cast<float>(label);
      known[1] = label == 0 ? 1 : 0;
      known[2] = draws.uniform() < 0.2 ? 1 : 0;
      known[3] = static_cast<float>(angle);
    }
    return out;
  }
};

/// The embedding has lost the class, and is long.
class Long : public FakeMethod {
 public:
  Tensor project(const Tensor& x) override { return 7 * x.narrow(1, 10, 2); }
};

TEST(Probes, GiveF1OfBinaryColumnsAndTopFiveOfManyClasses) {
  Long method;
  const Results results =
      results_of(Probes({.train_samples = 2000, .test_samples = 2000}), method, Attributes());
  const auto at = [&](const char* name) { return results.metrics.at(name); };
  EXPECT_EQ(at("representation_top5"), 1);
  EXPECT_NEAR(at("embedding_top5"), at("top5_chance"), 0.03);
  EXPECT_NEAR(at("top5_chance"), 1 - 0.25, 0.03);  // the five commonest of ten
  EXPECT_EQ(at("top5_chance_class"), at("top5_chance")) << "no other column has so many";
  EXPECT_NEAR(at("accuracy_chance_class"), 0.19, 0.03);  // the commonest of ten
  EXPECT_NEAR(at("accuracy_chance_coin"), 0.8, 0.03);
  EXPECT_EQ(results.descriptions.at("accuracy_chance_coin").label, "chance of coin, accuracy");
  EXPECT_EQ(at("representation_top5_class"), 1);
  EXPECT_EQ(at("embedding_top5_class"), at("embedding_top5")) << "no other column has so many";
  EXPECT_EQ(results.descriptions.at("embedding_top5_class").label,
            "top-5 accuracy of class, embedding");
  const double votes =
      at("embedding_knn_class") + at("embedding_knn_first") + at("embedding_knn_coin");
  EXPECT_NEAR(votes / 3, at("embedding_knn"), 1e-12);
  EXPECT_LT(at("embedding_knn_class"), at("embedding_knn_coin"));
  EXPECT_EQ(results.vectors.at("representation_f1_per_column"), (std::vector<double>{1, 0}));
  EXPECT_EQ(at("representation_f1"), 0.5);
  EXPECT_EQ(at("embedding_f1"), 0) << "it always says the majority class";
  EXPECT_NEAR(at("f1_chance"), (0.19 + 0.2) / 2, 0.03);
  EXPECT_EQ(results.descriptions.at("embedding_f1_per_column").entries,
            (std::vector<std::string>{"first", "coin"}));
  EXPECT_NEAR(at("embedding_r2"), 1, 1e-6) << "an angle is predicted as cosine and sine";
  EXPECT_EQ(results.descriptions.at("embedding_r2_per_factor").entries,
            std::vector<std::string>{"turn"});
}

TEST(Probes, NormaliseTheEmbeddingOnRequest) {
  class Scaled : public FakeMethod {
   public:
    Tensor project(const Tensor& x) override {  // the length of a row is all that it tells
      return torch::exp(x.narrow(1, 0, 1)) * torch::ones({1, 2}, x.options());
    }
  };
  Scaled method;
  const auto accuracy = [&](const Evaluation& probes) {
    return results_of(probes, method, Corners()).metrics.at("embedding_accuracy");
  };
  const Probes plain({.train_samples = 500, .test_samples = 500});
  const Probes normalising(
      {.train_samples = 500, .test_samples = 500, .normalise_embedding = true});
  EXPECT_GT(accuracy(plain), 0.6);
  EXPECT_LT(accuracy(normalising), 0.4);
  EXPECT_GT(accuracy(*plain.watching({.samples = 500})), 0.6);
  EXPECT_LT(accuracy(*normalising.watching({.samples = 500})), 0.4);
}

TEST(Probes, AreFittedOnTheFirstPopulationAndScoredOnTheHeldOutOneInOneCall) {
  Forgetful method;
  const Corners source;
  results_of(Probes({.train_samples = 100, .test_samples = 200}), method, source);
  EXPECT_EQ(source.asked(), (std::vector<std::string>{"fresh", "fixed"}));
}

TEST(Probes, SaySoWhenTheClassifierHasNotConverged) {
  Forgetful method;
  const Results results = results_of(
      Probes({.train_samples = 500, .test_samples = 100, .max_iterations = 1}), method, Corners());
  EXPECT_EQ(results.metrics.at("representation_converged"), 0);
}

TEST(Probes, KeepTheirOptionsWhileTheyWatch) {
  const auto watched = [](const parts::ProbesOptions& options, const char* metric) {
    Long method;
    const auto small = Probes(options).watching({.samples = 100});
    return results_of(*small, method, Attributes()).metrics.at(metric);
  };
  EXPECT_EQ(watched({.max_iterations = 1}, "representation_converged"), 0);
  EXPECT_LT(watched({.neighbours = 100}, "representation_knn"), watched({}, "representation_knn"));
  EXPECT_LT(watched({.l2 = 1e3}, "representation_accuracy"),
            watched({}, "representation_accuracy"));
}

TEST(Probes, AskOnlyWhatTheSourceKnows) {
  Forgetful method;
  const Probes probes({.train_samples = 100, .test_samples = 100});
  const Results factors = results_of(probes, method, Corners(false, true));
  EXPECT_TRUE(factors.metrics.contains("embedding_r2"));
  EXPECT_FALSE(factors.metrics.contains("embedding_accuracy"));
  const Results classes = results_of(probes, method, Corners(true, false));
  EXPECT_FALSE(classes.metrics.contains("embedding_r2"));
  EXPECT_TRUE(classes.metrics.contains("embedding_accuracy"));
  EXPECT_TRUE(results_of(probes, method, FakeSource()).metrics.empty());
}

TEST(Probes, GiveTheSameTwice) {
  Forgetful method;
  const Probes probes({.train_samples = 300, .test_samples = 300});
  EXPECT_EQ(results_of(probes, method, Corners()).metrics,
            results_of(probes, method, Corners()).metrics);
}

}  // namespace
}  // namespace adassl::evaluation
