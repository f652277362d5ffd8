#include "adassl/nn/mlp_function.h"

#include <algorithm>

#include <torch/csrc/autograd/functions/utils.h>

#include "adassl/core/error.h"
#include "adassl/nn/kept_parameters.h"
#include "adassl/nn/tensors.h"

/// Connects the multilayer perceptron of kernels/mlp.h to LibTorch's autograd graph, as one node:
///
///   h_0 = x,  h_{l+1} = LeakyReLU(norm_l(W_l h_l + b_l)),  y = W_n h_n + b_n
///
/// for several views x [B, in] -> y [B, out].
namespace adassl::nn {
namespace {

using kernels::MlpLayer;
using kernels::MlpLayerGradients;
using kernels::MlpPass;
using torch::autograd::variable_list;

// The rows of one inference pass. Evaluations pass hundreds of thousands of rows, and this limits
// the memory of a pass.
constexpr int64_t kInferenceRows = 8192;

float* data_of(const Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
}

std::vector<MlpLayer> kernel_layers(const std::vector<MlpTensors>& layers) {
  std::vector<MlpLayer> out;
  for (const MlpTensors& layer : layers) {
    out.push_back({layer.weight.size(1),
                   layer.weight.size(0),
                   data_of(layer.weight),
                   data_of(layer.bias),
                   {data_of(layer.gain), data_of(layer.shift), data_of(layer.running_mean),
                    data_of(layer.running_var)},
                   layer.slope});
  }
  return out;
}

/// Four tensors per layer: weight, bias, gain and shift. A tensor is undefined if the layer does
/// not have it.
variable_list parameters_of(const std::vector<MlpTensors>& layers) {
  variable_list out;
  for (const MlpTensors& layer : layers) {
    out.insert(out.end(), {layer.weight, layer.bias, layer.gain, layer.shift});
  }
  return out;
}

/// The outputs [B, out] of all views [B, in].
std::vector<Tensor> run(const std::vector<MlpLayer>& layers, const std::vector<Tensor>& views,
                        MlpPass::Mode mode, MlpPass& pass) {
  std::vector<Tensor> y;
  std::vector<kernels::MlpView> inputs;
  std::vector<float*> outputs;
  for (const Tensor& view : views) {
    inputs.push_back({view.size(0), view.data_ptr<float>()});
    y.push_back(torch::empty({view.size(0), layers.back().out}, view.options()));
    outputs.push_back(y.back().data_ptr<float>());
  }
  pass.forward(layers, inputs, outputs, mode);
  return y;
}

/// [B, in] -> [B, out] with running statistics, in parts of kInferenceRows.
Tensor infer(const std::vector<MlpLayer>& layers, const Tensor& x, MlpPass& pass) {
  std::vector<Tensor> parts;
  for (const Tensor& part : x.split(kInferenceRows)) {
    parts.push_back(run(layers, {part}, MlpPass::Mode::kInference, pass)[0]);
  }
  return parts.size() == 1 ? parts[0] : torch::cat(parts);
}

/// The node of the autograd graph. Its inputs are the views, then parameters_of(layers).
struct MlpBackward : torch::autograd::Node {
  variable_list apply(variable_list&& y_gradients) override {
    TORCH_CHECK(pass != nullptr, "[mlp] the gradient of one forward pass was asked for twice");
    require_first_derivative("mlp");
    parameters.require_unchanged("mlp");  // the pass reads the gains again
    std::vector<const float*> from;
    for (size_t v = 0; v < views.size(); ++v) {
      Tensor& gradient = y_gradients[v];
      gradient = gradient.defined()
                     ? gradient.contiguous()
                     : torch::zeros({views[v].size(0), layers.back().out}, views[v].options());
      from.push_back(gradient.data_ptr<float>());
    }
    variable_list out(views.size() + parameters.size());
    // Memory for a gradient of the shape of `like`, or null if this gradient is not required.
    const auto wanted = [&](size_t index, const Tensor& like) -> float* {
      if (!like.defined() || !task_should_compute_output(index)) return nullptr;
      out[index] = torch::empty_like(like, like.options().requires_grad(false));
      return out[index].data_ptr<float>();
    };
    std::vector<float*> x_gradients;
    for (size_t v = 0; v < views.size(); ++v) x_gradients.push_back(wanted(v, views[v]));
    std::vector<MlpLayerGradients> gradients;
    for (size_t l = 0; l < layers.size(); ++l) {
      const auto at = [&](size_t which) {
        return wanted(views.size() + 4 * l + which, parameters[4 * l + which]);
      };
      gradients.push_back({at(0), at(1), at(2), at(3)});
    }
    pass->backward(layers, from, gradients, x_gradients);
    release_variables();
    return out;
  }
  void release_variables() override { pass.reset(); }
  std::string name() const override { return "MlpBackward"; }

  std::shared_ptr<MlpPass> pass;  // holds the intermediate values; null after the backward pass
  std::vector<MlpLayer> layers;   // pointers into `parameters`
  variable_list views;            // [B, in] each
  KeptParameters parameters;      // those of parameters_of(layers)
};

}  // namespace

std::shared_ptr<MlpPass> MlpMemory::pass() {
  for (const auto& pass : passes_) {
    if (pass.use_count() == 1) return pass;  // no autograd node holds it
  }
  passes_.push_back(std::make_shared<MlpPass>());
  return passes_.back();
}

std::vector<Tensor> mlp_function(const std::vector<MlpTensors>& layers,
                                 const std::vector<Tensor>& views, bool training,
                                 MlpMemory& memory) {
  std::vector<Tensor> inputs;
  for (const Tensor& view : views) inputs.push_back(view.contiguous());
  const variable_list parameters = parameters_of(layers);
  const bool needs_gradient =
      torch::autograd::compute_requires_grad(at::ArrayRef<Tensor>(inputs)) ||
      torch::autograd::compute_requires_grad(at::ArrayRef<Tensor>(parameters));
  const bool normalises =
      std::ranges::any_of(layers, [](const MlpTensors& layer) { return layer.gain.defined(); });
  ADASSL_CHECK(training || !needs_gradient || !normalises,
               "[mlp] the kernels have no gradient through running statistics");
  auto pass = memory.pass();
  if (!training && !needs_gradient) {
    std::vector<Tensor> out;
    for (const Tensor& view : inputs) out.push_back(infer(kernel_layers(layers), view, *pass));
    return out;
  }
  std::vector<Tensor> y = run(kernel_layers(layers), inputs, MlpPass::Mode::kTraining, *pass);
  if (!needs_gradient) return y;
  auto node = std::shared_ptr<MlpBackward>(new MlpBackward(), torch::autograd::deleteNode);
  node->set_next_edges(torch::autograd::collect_next_edges(at::ArrayRef<Tensor>(inputs),
                                                           at::ArrayRef<Tensor>(parameters)));
  node->pass = std::move(pass);
  node->layers = kernel_layers(layers);
  // The views are not detached, because detaching costs microseconds per tensor. This creates no
  // reference cycle: none of them depends on this node.
  node->views = inputs;
  node->parameters = KeptParameters(parameters);
  torch::autograd::set_history(y, node);
  return y;
}

}  // namespace adassl::nn
