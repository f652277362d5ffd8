#pragma once

#include <functional>
#include <vector>

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

/// Calls look(piece) for each of these pieces and concatenates the results: tensor k of the result
/// contains the rows of tensor k of all pieces. Undefined tensors stay undefined.
std::vector<Tensor> in_pieces(const data::Source& source, int64_t count,
                              const std::function<std::vector<Tensor>(const Piece&)>& look);

}  // namespace adassl::evaluation
