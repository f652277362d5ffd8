#include <algorithm>

#include "adassl/kernels/convolution/common.h"
#include "adassl/kernels/convolution/convolution.h"
#include "adassl/kernels/convolution/plane.h"

/// The gradient of a convolution's input: for each input pixel q and input channel i
///   dx[q, i] = sum over output pixels p and taps t with stride p + t - padding = q,
///              and over output channels o, of weight[o, i, t] dy[p, o]
/// dy is [images, out height, out width, out], dx is [images, height, width, in]. With a stride of
/// s, inputs that leave the same remainder by s meet the same taps, and form one product. Where x
/// has a ReLU, dx is 0 where it is closed, and the two sums that the gradient of its norm needs are
/// gathered.
namespace adassl::kernels {
namespace {

/// One axis of a convolution, seen from its inputs: input stride * i + residue gets from output
/// i + shift(k) by each tap k of that residue.
struct Axis {
  int64_t size, outputs, kernel, stride, padding;

  int64_t residue(int64_t k) const { return ((k - padding) % stride + stride) % stride; }
  int64_t shift(int64_t k) const { return (residue(k) + padding - k) / stride; }
  int64_t residues() const { return std::min(stride, size); }
  /// Inputs of a residue.
  int64_t count(int64_t of) const { return (size - of + stride - 1) / stride; }
  /// Outputs that are asked for before the first, and behind the last.
  int64_t before() const {
    int64_t most = 0;
    for (int64_t k = 0; k < kernel; ++k) most = std::max(most, -shift(k));
    return most;
  }
  int64_t behind() const {
    int64_t most = 0;
    for (int64_t k = 0; k < kernel; ++k) {
      if (residue(k) >= size) continue;
      most = std::max(most, count(residue(k)) + shift(k) - outputs);
    }
    return most;
  }
};

/// Inputs of one residue on either axis: a convolution of the outputs' gradient, with fewer taps.
struct Residue {
  int64_t y, x;
  TapGrid grid;
};

Residue residue_of(const Axis& vertical, const Axis& horizontal, int64_t y, int64_t x,
                   const Plane& plane, int64_t tap_size) {
  Residue out{
      y, x, {vertical.count(y), horizontal.count(x), plane.row_size(), plane.depth, {}, {}}};
  std::vector<int64_t> offsets;
  int64_t in_group = 0;
  for (int64_t kx = 0; kx < horizontal.kernel; ++kx)
    in_group += horizontal.residue(kx) == x ? 1 : 0;
  for (int64_t ky = 0; ky < vertical.kernel; ++ky) {
    if (vertical.residue(ky) != y) continue;
    offsets.push_back(vertical.shift(ky));
    for (int64_t kx = 0; kx < horizontal.kernel; ++kx) {
      if (horizontal.residue(kx) != x) continue;
      const int64_t row = (plane.top + vertical.shift(ky)) * plane.row_size();
      const int64_t column = (plane.left + horizontal.shift(kx)) * plane.depth;
      out.grid.taps.push_back({row + column, (ky * horizontal.kernel + kx) * tap_size});
    }
  }
  out.grid.taps_of_row = taps_inside(out.grid.rows, 1, vertical.outputs, offsets, in_group);
  return out;
}

}  // namespace

GradientSums input_gradient(const ConvolutionSizes& given, const Normed& x,
                            const NormedGradient& dy, const float* weight, Bf16* dx,
                            const Bf16* addend) {
  const ConvolutionSizes sizes = checked(given);
  const Unit& unit = kernels::unit();
  const Axis vertical{sizes.height, sizes.out_height(), sizes.kernel[0], sizes.stride[0],
                      sizes.padding[0]};
  const Axis horizontal{sizes.width, sizes.out_width(), sizes.kernel[1], sizes.stride[1],
                        sizes.padding[1]};
  const int64_t pairs = pairs_for(unit, sizes.out);
  const Plane plane{vertical.outputs + vertical.before() + vertical.behind(),
                    horizontal.outputs + horizontal.before() + horizontal.behind(), 2 * pairs,
                    vertical.before(), horizontal.before()};
  const PackedShape shape{sizes.in, sizes.out, pairs, sizes.taps()};
  static thread_local Bf16Buffer packed;
  WeightPlaces places{weight, sizes.taps(), {}};
  for (int64_t tap = 0; tap < sizes.taps(); ++tap) {
    for (int64_t out = 0; out < sizes.out; ++out) {
      places.places.push_back(out * sizes.in * sizes.taps() + tap);
    }
  }
  pack(shape, places, packed);
  const Bf16* weights = packed.data();
  std::vector<Residue> residues;
  for (int64_t y = 0; y < vertical.residues(); ++y) {
    for (int64_t x_at = 0; x_at < horizontal.residues(); ++x_at) {
      residues.push_back(residue_of(vertical, horizontal, y, x_at, plane, shape.tap_size()));
    }
  }

  const OutputGradient gradient(sizes, dy);
  Activated by = activated_by(x);
  by.addend = addend;
  ImageSums sums(sizes.images, sizes.in);
  const int64_t outputs = vertical.outputs * horizontal.outputs;
  const Tasks tasks(sizes.images, outputs, 2 * plane.size(), shape.blocks());
  parallel_for(tasks.count(), [&](int64_t index) {
    static thread_local Bf16Buffer planes;
    const Tasks::Task task = tasks[index];
    planes.resize(task.images * plane.size() + unit.rows * plane.depth);
    for (int64_t i = 0; i < task.images; ++i) {
      fill_plane(plane, vertical.outputs, horizontal.outputs, planes.data() + i * plane.size(),
                 [&](int64_t row, Bf16* to) {
                   gradient.fill((task.first + i) * outputs + row * horizontal.outputs,
                                 horizontal.outputs, plane.depth, to);
                 });
    }
    for (const Residue& residue : residues) {
      unit.begin(residue.grid.stretch(unit), pairs);
      for (int64_t block = task.first_block; block < task.last_block; ++block) {
        const int64_t column = block * kColumns;
        const int64_t columns = std::min(kColumns, sizes.in - column);
        sweep(unit, residue.grid, task.images, plane, pairs, planes.data(),
              weights + block * shape.block_size(),
              [&](int64_t image, int64_t row, int64_t at, int64_t count, const float* c) {
                image += task.first;
                const int64_t y = row * sizes.stride[0] + residue.y;
                const int64_t from = at * sizes.stride[1] + residue.x;
                const int64_t to =
                    ((image * sizes.height + y) * sizes.width + from) * sizes.in + column;
                write_gradients({count, columns, sizes.stride[1] * sizes.in, dx + to}, c,
                                by.at(to, column), sums.first(image) + column,
                                sums.second(image) + column);
              });
      }
      unit.end();
    }
  });
  return merged(sums, sizes.images);
}

}  // namespace adassl::kernels
