#pragma once

#include <string>
#include <vector>

#include "adassl/evaluation/evaluation.h"

/// What is retrieved for predictions with a given r. The evaluation `control` asks this.
namespace adassl::evaluation {

/// Samples as the model sees them: their codes before the editor, and what predictions of them are
/// compared with.
struct Seen {
  Tensor e;        // [N, d'] from encode
  Tensor target;   // [N, d] from target, normalised
  Tensor targets;  // [N, T] the factors, as targets of a regression
};

/// Up to `count` samples of a population, fewer if there are fewer.
Seen look_at(const Subject& subject, const std::string& population, const std::string& name,
             int64_t count);

/// The samples among which is searched.
struct Searched {
  Searched(const Seen& looked_at, const std::vector<Column>& known);
  Seen seen;
  std::vector<Column> columns;  // of the data
  Tensor variances;             // [F] of the factors
  Array rows;                   // seen.target in float32
};

/// How far factors are apart in standard deviations, given the differences of their targets:
/// [n, T] -> [n, F].
Tensor in_deviations(const std::vector<Column>& columns, const Tensor& differences,
                     const Tensor& variances);

/// Some of the gallery's samples x, each asked about with several draws of r. A row of r belongs to
/// one draw, and the draws of one x are adjacent: n = count * draws.
struct Question {
  model::Predicts& method;
  const Searched& gallery;
  int64_t first = 0, count = 0, draws = 0;

  Tensor e() const { return gallery.seen.e.narrow(0, first, count); }
  Tensor starts() const { return e().repeat_interleave(draws, 0); }  // [n, d']
  Tensor asked() const;                                              // [n] the number of x

  /// The numbers of the samples nearest to predictions with these r, never x itself: [n].
  Tensor retrieve(const Tensor& r) const;
  /// How far the factors of samples a and b are apart: [n], [n] -> [n, F].
  Tensor apart(const Tensor& a, const Tensor& b) const;
  /// How far the factors of these samples are from those of x, mean over draws: [n] -> [count, F].
  Tensor apart_from_x(const Tensor& samples) const;
};

}  // namespace adassl::evaluation
