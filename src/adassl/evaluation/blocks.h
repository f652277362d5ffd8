#pragma once

#include <functional>
#include <vector>

#include "adassl/data/source.h"
#include "adassl/nn/torch.h"

/// Evaluations look at more observations than a network should see at once, and sometimes at more
/// than the memory should hold. What is small goes in one piece.
namespace adassl::evaluation {

/// Rows for one pass through a network: 4096, halved until they hold at most 2^20 numbers. A
/// convolution makes tens of times its input, and video clips have 10^4 numbers each.
int64_t block_rows(int64_t columns);

/// f applied to blocks of rows, without changing their order: [N, ...] -> [N, d].
Tensor in_blocks(const Tensor& x, const std::function<Tensor(const Tensor&)>& f);

/// `count` observations as the sizes of the calls in which they are asked for: at most 2^23 numbers
/// (32 MB) for each view. Each call needs a stream of its own, the number of the piece.
std::vector<int64_t> pieces(const data::Source& source, int64_t count);

/// look(rows, number) for each of these pieces, and what it returns one below the other: tensor k
/// of the result is tensor k of all pieces. Undefined tensors stay so.
std::vector<Tensor> in_pieces(
    const data::Source& source, int64_t count,
    const std::function<std::vector<Tensor>(int64_t rows, uint64_t number)>& look);

}  // namespace adassl::evaluation
