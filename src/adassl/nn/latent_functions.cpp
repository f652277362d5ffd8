#include "adassl/nn/latent_functions.h"

#include "adassl/core/error.h"
#include "adassl/kernels/latents.h"
#include "adassl/nn/compute.h"
#include "adassl/nn/tensors.h"

/// Connects the kernels of kernels/latents.h, which contain the formulas, to the autograd graph.
/// Networks output two values per latent element, [N, 2d]. All other tensors are [N, d].
namespace adassl::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

/// Checks that `output` is [N, 2d] for noise [N, d].
void require_halves(const char* where, const Tensor& output, const Tensor& noise) {
  ADASSL_CHECK(in_cpu_floats(output) && in_cpu_floats(noise), "[", where,
               "] expected float32 tensors on the CPU");
  ADASSL_CHECK(noise.dim() == 2 && output.dim() == 2 && output.size(0) == noise.size(0) &&
                   output.size(1) == 2 * noise.size(1),
               "[", where, "] expected two numbers for each of ", noise.sizes(), ", got ",
               output.sizes());
}

const float* read(const Tensor& tensor) { return tensor.data_ptr<float>(); }
float* write(Tensor& tensor) { return tensor.data_ptr<float>(); }

/// `saved` holds posterior [N, 2d], prior [N, 2d] and eps [N, d].
kernels::GaussianInputs gaussian_inputs(const variable_list& saved) {
  return {saved[2].size(0), saved[2].size(1), read(saved[0]), read(saved[1]), read(saved[2])};
}

class GaussianDraw : public Function<GaussianDraw> {
 public:
  static variable_list forward(AutogradContext* context, const Tensor& posterior,
                               const Tensor& prior, const Tensor& eps) {
    const variable_list saved = {posterior.contiguous(), prior.contiguous(), eps.contiguous()};
    context->save_for_backward(saved);
    Tensor r = torch::empty_like(saved[2]);
    Tensor cost = torch::empty_like(saved[2]);
    kernels::gaussian_draw(gaussian_inputs(saved), write(r), write(cost));
    return {r, cost};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    require_first_derivative("gaussian_draw");
    const variable_list saved = context->get_saved_variables();
    const Tensor dr = gradients[0].contiguous();
    const Tensor dcost = gradients[1].contiguous();
    Tensor dposterior = torch::empty_like(saved[0]);
    Tensor dprior = torch::empty_like(saved[1]);
    kernels::gaussian_draw_backward(gaussian_inputs(saved), read(dr), read(dcost),
                                    write(dposterior), write(dprior));
    return {dposterior, dprior, Tensor()};
  }
};

/// `saved` holds output [N, 2d] and u [N, d].
kernels::GateInputs gate_inputs(const variable_list& saved) {
  return {saved[1].size(0), saved[1].size(1), read(saved[0]), read(saved[1])};
}

class GateDrawFunction : public Function<GateDrawFunction> {
 public:
  static variable_list forward(AutogradContext* context, const Tensor& output, const Tensor& u) {
    const variable_list saved = {output.contiguous(), u.contiguous()};
    context->save_for_backward(saved);
    Tensor r = torch::empty_like(saved[1]);
    Tensor cost = torch::empty_like(saved[1]);
    Tensor gates = torch::empty_like(saved[1]);
    kernels::gate_draw(gate_inputs(saved), write(r), write(cost), write(gates));
    context->mark_non_differentiable({gates});
    return {r, cost, gates};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    require_first_derivative("gate_draw");
    const variable_list saved = context->get_saved_variables();
    const Tensor dr = gradients[0].contiguous();
    const Tensor dcost = gradients[1].contiguous();
    Tensor doutput = torch::empty_like(saved[0]);
    kernels::gate_draw_backward(gate_inputs(saved), read(dr), read(dcost), write(doutput));
    return {doutput, Tensor()};
  }
};

}  // namespace

std::pair<Tensor, Tensor> gaussian_draw(const Tensor& posterior, const Tensor& prior,
                                        const Tensor& eps) {
  require_halves("gaussian_draw", posterior, eps);
  require_halves("gaussian_draw", prior, eps);
  const variable_list out = GaussianDraw::apply(posterior, prior, eps);
  return {out[0], out[1]};
}

GateDraw gate_draw(const Tensor& output, const Tensor& u) {
  require_halves("gate_draw", output, u);
  const variable_list out = GateDrawFunction::apply(output, u);
  return {out[0], out[1], out[2]};
}

}  // namespace adassl::nn
