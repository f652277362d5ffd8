#include "adassl/nn/shared_convolution.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "adassl/kernels/threads.h"
#include "adassl/nn/tensors.h"

/// x [N, in, H, W], y [N, out, H', W'] and their gradients, and weights [out, in, height, width],
/// all with channels last in memory. Every pass is divided into shares of the images, or of the
/// channels of its result (see the header).
namespace adassl::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

constexpr auto kChannelsLast = torch::MemoryFormat::ChannelsLast;

/// LibTorch has one thread as long as the object lives, and records no gradients. In training this
/// changes nothing on the calling thread (nn::use_threads).
class OneThread {
 public:
  OneThread() : before_(at::get_num_threads()) {
    if (before_ != 1) at::set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) at::set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
  torch::NoGradGuard no_grad_;
};

/// How a pass is divided, according to sizes alone.
struct Shares {
  int64_t count = 1;
  int64_t dimension = 0;  // of the result: 0 for shares of images, 1 for shares of channels
  int64_t extent = 1;     // images or channels

  int64_t begin(int64_t i) const { return i * extent / count; }
  Tensor of(const Tensor& tensor, int64_t i, int64_t along) const {
    return tensor.slice(along, begin(i), begin(i + 1));
  }
};

// The output pixels of a share of images, at least. Each share arranges all weights once, and in
// the gradient of the weights adds as many numbers besides.
constexpr int64_t kPixels = 1024;
constexpr int64_t kPixelsOfSum = 4096;

/// `pixels` are the output pixels of all images, and `channels` those of the result.
Shares shares_of(int64_t images, int64_t pixels, int64_t channels, int64_t least_pixels) {
  constexpr int64_t kEnough = 4, kMostOfImages = 64;
  constexpr int64_t kChannels = 128, kMostOfChannels = 8;  // each share reads the whole input
  const int64_t by_images =
      std::clamp<int64_t>(pixels / least_pixels, 1, std::min(kMostOfImages, images));
  const int64_t by_channels = std::clamp<int64_t>(channels / kChannels, 1, kMostOfChannels);
  if (by_images >= std::min(kEnough, by_channels)) return {by_images, 0, images};
  return {by_channels, 1, channels};
}

/// Calls `share` for each share, on our threads.
template <class Share>
void for_each(const Shares& shares, const Share& share) {
  const OneThread caller;
  kernels::parallel_for_or_throw(shares.count, [&](int64_t i) {
    const OneThread worker;
    share(i);
  });
}

Tensor plain(const Tensor& x, const Tensor& weight, const ConvolutionShape& shape) {
  return torch::conv2d(x, weight, {}, shape.stride, shape.padding);
}

enum Wanted { kOfX, kOfWeight };

Tensor gradient(Wanted wanted, const Tensor& dy, const Tensor& x, const Tensor& weight,
                const ConvolutionShape& shape) {
  const std::array<bool, 3> mask = {wanted == kOfX, wanted == kOfWeight, false};
  const auto all = at::convolution_backward(dy, x, weight, c10::nullopt, shape.stride,
                                            shape.padding, {1, 1}, false, {0, 0}, 1, mask);
  return wanted == kOfX ? std::get<0>(all) : std::get<1>(all);
}

Tensor empty(at::IntArrayRef sizes, const Tensor& like) {
  return torch::empty(sizes, like.options().memory_format(kChannelsLast));
}

int64_t pixels_of(const Tensor& y) { return y.size(0) * y.size(2) * y.size(3); }

Tensor forward_pass(const Tensor& x, const Tensor& weight, const ConvolutionShape& shape) {
  const auto out = [&](int axis) {
    const auto a = static_cast<size_t>(axis);
    return (x.size(2 + axis) + 2 * shape.padding[a] - shape.kernel[a]) / shape.stride[a] + 1;
  };
  const Tensor y = empty({x.size(0), shape.out, out(0), out(1)}, x);
  const Shares shares = shares_of(x.size(0), pixels_of(y), shape.out, kPixels);
  for_each(shares, [&](int64_t i) {
    const bool images = shares.dimension == 0;
    const Tensor part = images ? plain(shares.of(x, i, 0), weight, shape)
                               : plain(x, shares.of(weight, i, 0), shape);
    shares.of(y, i, shares.dimension).copy_(part);
  });
  return y;
}

Tensor input_gradient(const Tensor& dy, const Tensor& x, const Tensor& weight,
                      const ConvolutionShape& shape) {
  const Tensor dx = empty(x.sizes(), x);
  const Shares shares = shares_of(x.size(0), pixels_of(dy), shape.in, kPixels);
  for_each(shares, [&](int64_t i) {
    const Tensor to = shares.of(dx, i, shares.dimension);
    if (shares.dimension == 0) {
      to.copy_(gradient(kOfX, shares.of(dy, i, 0), shares.of(x, i, 0), weight, shape));
    } else {  // of x, only the sizes matter
      to.copy_(gradient(kOfX, dy, empty(to.sizes(), x),
                        shares.of(weight, i, 1).contiguous(kChannelsLast), shape));
    }
  });
  return dx;
}

/// The sum of tensors of one shape, in their order.
Tensor sum_of(const std::vector<Tensor>& parts) {
  constexpr int64_t kTasks = 16;
  const Tensor& sum = parts[0];
  const Shares rows{std::min(kTasks, sum.size(0)), 0, sum.size(0)};
  for_each(rows, [&](int64_t i) {
    const Tensor to = rows.of(sum, i, 0);
    for (size_t part = 1; part < parts.size(); ++part) to.add_(rows.of(parts[part], i, 0));
  });
  return sum;
}

Tensor weight_gradient(const Tensor& dy, const Tensor& x, const Tensor& weight,
                       const ConvolutionShape& shape) {
  const Shares shares = shares_of(x.size(0), pixels_of(dy), shape.out, kPixelsOfSum);
  std::vector<Tensor> parts(static_cast<size_t>(shares.count));
  for_each(shares, [&](int64_t i) {
    parts[static_cast<size_t>(i)] =
        shares.dimension == 0
            ? gradient(kOfWeight, shares.of(dy, i, 0), shares.of(x, i, 0), weight, shape)
            : gradient(kOfWeight, shares.of(dy, i, 1).contiguous(kChannelsLast), x,
                       shares.of(weight, i, 0), shape);
  });
  if (shares.count == 1) return parts[0];
  return shares.dimension == 0 ? sum_of(parts) : torch::cat(parts);
}

class SharedConvolution : public Function<SharedConvolution> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const ConvolutionShape& shape) {
    context->save_for_backward({x, weight});
    context->saved_data["stride"] = shape.stride;
    context->saved_data["padding"] = shape.padding;
    return forward_pass(x, weight, shape);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    require_first_derivative("convolution");
    const variable_list saved = context->get_saved_variables();
    const Tensor &x = saved[0], &weight = saved[1];
    const auto pair = [&](const char* name) {
      const std::vector<int64_t> both = context->saved_data[name].toIntVector();
      return std::array{both[0], both[1]};
    };
    const ConvolutionShape shape{weight.size(1),
                                 weight.size(0),
                                 {weight.size(2), weight.size(3)},
                                 pair("stride"),
                                 pair("padding")};
    const Tensor dy = channels_last(gradients[0]);
    variable_list out(3);
    if (context->needs_input_grad(0)) out[0] = input_gradient(dy, x, weight, shape);
    if (context->needs_input_grad(1)) out[1] = weight_gradient(dy, x, weight, shape);
    return out;
  }
};

/// The images as a convolution of single pixels may read them as well: [N', C, pixels, 1], with at
/// least 16 images in each share. LibTorch computes fewer of them by another algorithm, which takes
/// twice as long. Returns x itself where the number of pixels has no suitable divisor.
Tensor with_more_images(const Tensor& x) {
  constexpr int64_t kImages = 16;
  constexpr int64_t kLeast = 7;  // pixels of an image; with fewer the gain is lost
  const int64_t pixels = pixels_of(x);
  const int64_t wanted = kImages * shares_of(pixels, pixels, 1, kPixels).count;
  if (x.size(0) >= wanted) return x;
  for (int64_t each = pixels / wanted; each >= kLeast; --each) {
    if (pixels % each != 0) continue;
    return x.permute({0, 2, 3, 1}).view({pixels / each, each, 1, x.size(1)}).permute({0, 3, 1, 2});
  }
  return x;
}

}  // namespace

Tensor shared_convolution(const Tensor& x, const Tensor& weight, const ConvolutionShape& shape) {
  const Tensor pictures = channels_last(x);
  const Tensor kernel = channels_last(weight);
  const bool single_pixels = shape.kernel == std::array<int64_t, 2>{1, 1} &&
                             shape.stride == std::array<int64_t, 2>{1, 1} &&
                             shape.padding == std::array<int64_t, 2>{0, 0};
  if (!single_pixels) return SharedConvolution::apply(pictures, kernel, shape);
  const Tensor y = SharedConvolution::apply(with_more_images(pictures), kernel, shape);
  return y.permute({0, 2, 3, 1})
      .view({x.size(0), x.size(2), x.size(3), shape.out})
      .permute({0, 3, 1, 2});
}

}  // namespace adassl::nn
