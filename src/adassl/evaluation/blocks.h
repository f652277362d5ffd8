#pragma once

#include <functional>
#include <vector>

#include "adassl/data/ahead.h"
#include "adassl/data/source.h"
#include "adassl/nn/torch.h"

/// Evaluations use more observations than should pass through a network at once, and sometimes more
/// than should be in memory at once. These functions divide the work; small inputs are not divided.
namespace adassl::evaluation {

/// The number of rows for one pass through a network: 4096, halved until they hold at most 2^20
/// numbers. The activations of a convolution take tens of times the memory of its input, and a
/// video clip has 10^4 numbers.
int64_t block_rows(int64_t columns);

/// Applies f to blocks of rows and keeps their order: [N, ...] -> [N, d].
Tensor in_blocks(const Tensor& x, const std::function<Tensor(const Tensor&)>& f);

/// Rows first ... first + rows - 1 of a draw: its piece with this number, drawn in one call.
struct Piece {
  int64_t first = 0;
  int64_t rows = 0;
  uint64_t number = 0;
};

/// Divides `count` observations into pieces of at most 2^23 numbers (32 MB) per view.
std::vector<Piece> pieces(const data::Source& source, int64_t count);

/// The same with so many rows in each piece.
std::vector<Piece> pieces_of(int64_t rows, int64_t count);

/// Tensor k of the result contains the rows of tensor k of all pieces: [piece][tensor] -> [tensor].
/// Undefined tensors stay undefined.
std::vector<Tensor> concatenated(const std::vector<std::vector<Tensor>>& pieces);

/// Makes what start(piece) describes, ahead of its use, calls look(made, piece) for each of these
/// pieces in turn, and concatenates the results.
template <class Made>
std::vector<Tensor> in_pieces(
    const std::vector<Piece>& pieces, const data::Prefetch& prefetch,
    const std::function<data::Job<Made>(const Piece&)>& start,
    const std::function<std::vector<Tensor>(const Made&, const Piece&)>& look) {
  const auto count = static_cast<int64_t>(pieces.size());
  const auto at = [&](int64_t number) { return pieces[static_cast<size_t>(number)]; };
  // A single piece leaves nothing to make ahead.
  data::Ahead<Made> ahead([&](int64_t number) { return start(at(number)); }, count,
                          count > 1 ? prefetch : data::Prefetch{});
  std::vector<std::vector<Tensor>> seen;
  for (int64_t number = 0; number < count; ++number) {
    const Made made = ahead.take(number);
    seen.push_back(look(made, at(number)));
  }
  return concatenated(seen);
}

}  // namespace adassl::evaluation
