#pragma once

#include "adassl/evaluation/evaluation.h"
#include "adassl/parts/evaluations.h"

namespace adassl::evaluation {

/// How close decode(embed(x)) comes to x, over all numbers of held-out observations:
///   reconstruction_mse: the mean squared error
///   reconstruction_r2:  1 - the squared error / that of the mean observation
class Reconstruction final : public Evaluation {
 public:
  using Options = parts::ReconstructionOptions;
  explicit Reconstruction(const Options& options) : options_(options) {}
  void run(const Subject& subject, Results& results) const override;
  std::string obstacle(const Subject& subject) const override {
    return obstacle_without<model::Reconstructs>(subject);
  }
  /// By default for images alone: there, few methods would be asked in vain.
  bool fits(const data::Source& source) const override;

 private:
  Options options_;
};

}  // namespace adassl::evaluation
