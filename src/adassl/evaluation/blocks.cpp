#include "adassl/evaluation/blocks.h"

#include <algorithm>

namespace adassl::evaluation {

int64_t block_rows(int64_t columns) {
  constexpr int64_t kNumbers = 1 << 20;
  int64_t rows = 4096;
  while (rows > 1 && rows * columns > kNumbers) rows /= 2;
  return rows;
}

Tensor in_blocks(const Tensor& x, const std::function<Tensor(const Tensor&)>& f) {
  const int64_t columns = x.numel() / std::max<int64_t>(x.size(0), 1);
  std::vector<Tensor> blocks;
  for (const Tensor& block : x.split(block_rows(columns))) blocks.push_back(f(block));
  return torch::cat(blocks);
}

std::vector<Piece> pieces(const data::Source& source, int64_t count) {
  constexpr int64_t kNumbers = 1 << 23;
  int64_t columns = 1;
  for (const int64_t extent : source.shape().observation) columns *= extent;
  const int64_t largest = std::max<int64_t>(kNumbers / std::max<int64_t>(columns, 1), 1);
  return pieces_of(largest, count);
}

std::vector<Piece> pieces_of(int64_t rows, int64_t count) {
  std::vector<Piece> out;
  for (int64_t done = 0; done < count; done += rows) {
    out.push_back({done, std::min(rows, count - done), out.size()});
  }
  return out;
}

std::vector<Tensor> concatenated(const std::vector<std::vector<Tensor>>& pieces) {
  std::vector<std::vector<Tensor>> columns;  // [tensor][piece]
  for (const std::vector<Tensor>& piece : pieces) {
    columns.resize(piece.size());
    for (size_t k = 0; k < piece.size(); ++k) {
      if (piece[k].defined()) columns[k].push_back(piece[k]);
    }
  }
  std::vector<Tensor> out;
  for (const auto& column : columns) out.push_back(column.empty() ? Tensor() : torch::cat(column));
  return out;
}

}  // namespace adassl::evaluation
