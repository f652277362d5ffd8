#pragma once

#include <span>
#include <string>
#include <vector>

#include "adassl/study/seen_samples.h"

namespace adassl::study {

/// A sample and those that a model finds most similar.
struct Nearest {
  struct Other {
    int64_t sample = 0;
    float similarity = 0;  // cosine
  };
  int64_t sample = 0;
  std::vector<Other> others;  // the most similar first
};

struct NearestOptions {
  std::vector<std::string> queries;  // names of samples; where empty, `rows` that are spread evenly
  int64_t rows = 12;
  int64_t count = 8;  // neighbours of each
  Output output = Output::kEmbedding;
};

/// Positions in samples.usable: of the samples that `queries` name or, where it is empty, of `rows`
/// that are spread evenly. Error, beginning with `where`, if a query names none (sample_named.h).
std::vector<int64_t> asked_rows(const SeenSamples& samples, const std::vector<std::string>& queries,
                                int64_t rows, const std::string& where);

/// Scales each row to length 1, so that inner products are cosines. A row of zeros stays one.
void normalise_rows(Array& rows);

/// For each query the `count` nearest rows, as samples, by an exact search: queries [Q, d], rows
/// [N, d], which belong to samples.usable, all of length 1. Row self[q] is left out, as it belongs
/// to the sample that was asked about.
std::vector<std::vector<Nearest::Other>> nearest_others(const SeenSamples& samples,
                                                        const Array& rows,
                                                        std::span<const float> queries,
                                                        std::span<const int64_t> self,
                                                        int64_t count);

/// The nearest of all samples that can be read, by an exact search. Error if a query names none.
std::vector<Nearest> nearest_samples(const Restored& model, const SeenSamples& samples,
                                     const NearestOptions& options);

}  // namespace adassl::study
