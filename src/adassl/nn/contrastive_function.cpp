#include "adassl/nn/contrastive_function.h"

#include <torch/csrc/autograd/functions/utils.h>

#include "adassl/nn/tensors.h"

/// Connects the contrastive kernel to the autograd graph. The kernel computes the gradients in the
/// same pass as the loss, so that the backward pass only scales them.
namespace adassl::nn {
namespace {

using kernels::ContrastiveProblem;
using torch::autograd::variable_list;

/// Multiplies the stored gradients by the gradient of the loss [].
struct ContrastiveBackward : torch::autograd::Node {
  variable_list apply(variable_list&& loss_gradient) override {
    TORCH_CHECK(!gradients.empty(),
                "[contrastive] the gradient of one forward pass was asked for twice");
    require_first_derivative("contrastive");
    variable_list out(gradients.size());
    const auto factor = loss_gradient[0].defined() ? loss_gradient[0].item<float>() : 0.0F;
    for (size_t i = 0; i < out.size(); ++i) {
      if (gradients[i].defined() && task_should_compute_output(i)) {
        out[i] = gradients[i].mul_(factor);
      }
    }
    release_variables();
    return out;
  }
  void release_variables() override { gradients.clear(); }
  std::string name() const override { return "ContrastiveBackward"; }

  variable_list gradients;  // of q, targets, own and concentration, each of the input's shape
};

ContrastiveProblem::Weights weights_of(const Tensor& concentration) {
  switch (concentration.dim()) {
    case 0:
      return ContrastiveProblem::Weights::kOne;
    case 1:
      return ContrastiveProblem::Weights::kDimensions;
    default:
      return ContrastiveProblem::Weights::kRows;
  }
}

/// Calls `compute(problem, gradients)` and returns the loss [] as a node of the autograd graph.
/// `given` holds q, targets, own and concentration. If any input requires a gradient, `compute`
/// gets memory for all gradients; otherwise it gets null. If `compute` returns no loss, the result
/// is undefined.
template <class Compute>
Tensor loss_of(const variable_list& given, const ContrastiveForm& form, const Compute& compute) {
  variable_list inputs;
  for (const Tensor& tensor : given) {
    inputs.push_back(tensor.defined() ? tensor.detach().contiguous() : tensor);
  }
  const auto data = [](const Tensor& tensor) {
    return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
  };
  const ContrastiveProblem problem{.rows = inputs[0].size(0),
                                   .width = inputs[0].size(1),
                                   .q = data(inputs[0]),
                                   .targets = data(inputs[1]),
                                   .own = data(inputs[2]),
                                   .concentration = data(inputs[3]),
                                   .weights = weights_of(inputs[3]),
                                   .hypersphere = form.hypersphere,
                                   .cosine = form.cosine,
                                   .tau = static_cast<float>(form.tau),
                                   .clamp = static_cast<float>(form.clamp)};
  const auto result = [&](std::optional<double> loss) {
    return loss ? torch::full({}, *loss, inputs[0].options()) : Tensor();
  };
  if (!torch::autograd::compute_requires_grad(at::ArrayRef<Tensor>(given))) {
    return result(compute(problem, nullptr));
  }
  auto node =
      std::shared_ptr<ContrastiveBackward>(new ContrastiveBackward(), torch::autograd::deleteNode);
  node->set_next_edges(torch::autograd::collect_next_edges(at::ArrayRef<Tensor>(given)));
  for (const Tensor& input : inputs) {
    node->gradients.push_back(input.defined() ? torch::empty_like(input) : input);
  }
  const kernels::ContrastiveGradients gradients{data(node->gradients[0]), data(node->gradients[1]),
                                                data(node->gradients[2]), data(node->gradients[3])};
  Tensor loss = result(compute(problem, &gradients));
  if (loss.defined()) torch::autograd::set_history(loss, node);
  return loss;
}

}  // namespace

Tensor contrastive_function(const Tensor& q, const Tensor& targets, const Tensor& own,
                            const Tensor& concentration, const ContrastiveForm& form,
                            kernels::ContrastiveWorkspace& workspace) {
  return loss_of({q, targets, own, concentration}, form,
                 [&](const ContrastiveProblem& problem,
                     const kernels::ContrastiveGradients* gradients) -> std::optional<double> {
                   return kernels::contrastive(problem, gradients, workspace);
                 });
}

Tensor two_way_contrastive_function(const Tensor& q, const Tensor& targets,
                                    const Tensor& concentration, const ContrastiveForm& form,
                                    kernels::ContrastiveWorkspace& workspace) {
  Tensor loss = loss_of(
      {q, targets, {}, concentration}, form,
      [&](const ContrastiveProblem& problem, const kernels::ContrastiveGradients* gradients) {
        return kernels::contrastive_two_way(problem, gradients, workspace);
      });
  if (loss.defined()) return loss;
  const Tensor one = contrastive_function(q, targets, {}, concentration, form, workspace);
  return (one + contrastive_function(targets, q, {}, concentration, form, workspace)) / 2;
}

}  // namespace adassl::nn
