"""Whole models: every gradient of small ones, and ten optimiser steps of those of the tables."""

import math

import numpy as np
import torch

import reference as ref
from part_cases import buffers, disturbed, leaf
from philox import Stream
from tensor_file import TensorFile

OBSERVATION, D, D_R = 10, 11, 5
STEPS, BATCH = 10, 64
# With this seed no pre-activation comes within float32 rounding of a LeakyReLU's kink in ten steps.
# With others one may (3: adassl_s and hinfonce_mlp, 5: adassl_v), in PyTorch's float32 as in ours:
# it then falls on the other side, the gradient jumps, and the losses part by up to 1e-3. Float64
# does not mind. Our fused kernels round in another order and meet one with 2 in hinfonce_mlp alone.
SEED = 2
SEEDS = {"hinfonce_mlp": 7}


def groups(parameters, decay):
    """Weight decay spares what has exactly one dimension; a number has none, so it decays."""
    return [{"params": [p for p in parameters if p.dim() == 1], "weight_decay": 0.0},
            {"params": [p for p in parameters if p.dim() != 1], "weight_decay": decay}]


def adamw():
    """A small curved problem; the clip bites in some steps and not in others."""
    torch.manual_seed(21)
    file = TensorFile("adamw")
    named = [("matrix", leaf(4, 3)), ("vector", leaf(3)), ("number", leaf())]
    inputs, wanted = torch.randn(6, 4), torch.randn(6, 3)
    file.add_all("input", [("x", inputs), ("y", wanted)])
    file.add_all("parameter", [(n, p) for n, p in named])
    matrix, vector, number = [p for _, p in named]
    optimizer = torch.optim.AdamW(groups([p for _, p in named], 0.2), lr=0.05)
    losses, norms = [], []
    for step in range(1, 21):
        optimizer.zero_grad()
        loss = ((torch.tanh(inputs @ matrix + vector) * torch.exp(number) - wanted) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        norms.append(torch.nn.utils.clip_grad_norm_([p for _, p in named], 0.2).item())
        optimizer.step()
        file.add_all(f"step{step:02}", [(n, p) for n, p in named])
    assert min(norms) < 0.2 < max(norms), norms
    file.add("loss", np.array(losses))
    file.add("gradient_norm", np.array(norms))
    file.save()


def noise_of(model, stream, rows):
    """What the latent of each direction draws."""
    kind = model.latent.noise
    if kind is None:
        return {}
    return {name: torch.from_numpy(getattr(stream.named(name), kind)(rows, D_R)).double()
            for name in ["forward", "backward"]}


def small_models():
    encoder, hidden = [OBSERVATION, 10, 8, D], [8]
    make_encoder = lambda: ref.MlpEncoder(encoder)
    isotropic = lambda **more: ref.Contrastive(ref.Isotropic(), 0.1, **more)
    common = "encoder.hidden = [10, 8]\n"
    models = {
        "adassl_v": ('method = "adassl-v"\nlatent.hidden = [8]\n', ref.JointEmbedding(
            make_encoder(), ref.Variational(D, D_R, hidden), ref.LinearEditor(D, D_R), isotropic())),
        "adassl_s": ('method = "adassl-s"\nlatent.hidden = [8]\n', ref.JointEmbedding(
            make_encoder(), ref.Sparse(D, D_R, hidden), ref.ModularEditor(D, D_R), isotropic())),
        "adassl_v_target": (
            'method = "adassl-v"\nlatent.hidden = [8]\nmodel.helper = "target"\n'
            'model.symmetric = false\neditor.kind = "mlp"\neditor.hidden = [8]\n',
            ref.JointEmbedding(make_encoder(), ref.Variational(D, D_R, hidden),
                               ref.MlpEditor(D, D_R, [8]), isotropic(), False, "target")),
        "adassl_s_target": (
            'method = "adassl-s"\nlatent.hidden = [8]\nmodel.helper = "target"\n'
            'objective.negatives = "both"\nobjective.form = "cosine"\nobjective.clamp = 20.0\n',
            ref.JointEmbedding(make_encoder(), ref.Sparse(D, D_R, hidden), ref.ModularEditor(D, D_R),
                               isotropic(form="cosine", negatives="both", clamp=20), True, "target")),
        "adassl_gt": ('method = "adassl-gt"\n', ref.JointEmbedding(
            make_encoder(), ref.Given(), ref.LinearEditor(D, D_R), isotropic())),
        "hinfonce": ('method = "hinfonce-mlp"\nsimilarity.hidden = [8]\nobjective.predictor = true\n'
                     'objective.predictor_hidden = [8]\n', ref.JointEmbedding(
                         make_encoder(), ref.NoLatent(), ref.NoEditor(), ref.Contrastive(
                             ref.HeteroscedasticMlp(D, [8]), 0.1,
                             predictor=ref.Mlp([D, 8, D], norm=True, slope=0.01)))),
    }
    for name, (config, model) in models.items():
        torch.manual_seed(22)
        step, rows = 400, 6
        file = TensorFile(f"model_{name}")
        file.metadata = {"config": config + common, "seed": str(SEED), "step": str(step)}
        disturbed(model)
        views = {n: leaf(rows, OBSERVATION) for n in ["x", "x_plus", "helper", "mirror_helper"]}
        if isinstance(model.latent, ref.Given):
            views["change"] = leaf(rows, D_R)
        file.add_all("input", views.items())
        file.add_all("parameter", model.named_parameters())
        file.add_all("buffer", buffers(model))
        noise = noise_of(model, Stream(SEED, "noise", step - 1), rows)
        out = model(views, beta_of(model, step), noise)
        out["loss"].backward()
        file.add_all("value", out.items())
        file.add_gradients("all", [(f"input/{n}", v) for n, v in views.items()])
        file.add_gradients("all", [(f"parameter/{n}", p) for n, p in model.named_parameters()])
        file.add_all("after", buffers(model))
        file.save()


def beta_of(model, step):
    """V: up to 0.5 over 1000 steps. S: 1."""
    if isinstance(model.latent, ref.Variational):
        return 0.5 * min(step / 1000, 1)
    return 1.0 if isinstance(model.latent, ref.Sparse) else 0.0


def fill(parameter, bound, stream):
    rows = parameter.shape[0]
    drawn = stream.uniform(rows, parameter.numel() // rows) * np.float32(2) - np.float32(1)
    drawn = drawn.reshape(parameter.shape) * np.float32(bound)
    parameter.copy_(torch.from_numpy(drawn.astype(np.float64)))


def initialise(model, seed):
    """PyTorch's default for Linear; Xavier with gain sqrt(2) and no bias for latents and for the
    linear and MLP editors; zero for the matrix B of the modular editor. Drawn by module name."""
    with torch.no_grad():
        for name, module in model.named_modules():
            if not isinstance(module, torch.nn.Linear):
                continue
            stream = Stream(seed, f"initialise/model.{name}")
            fan_out, fan_in = module.weight.shape
            if name == "editor.b":
                module.weight.zero_()
            elif name.startswith(("latent.", "editor.linear", "editor.mlp")):
                gain = torch.nn.init.calculate_gain("relu")
                fill(module.weight, gain * math.sqrt(6 / (fan_in + fan_out)), stream.named("weight"))
                if module.bias is not None:
                    module.bias.zero_()
            else:
                fill(module.weight, 1 / math.sqrt(fan_in), stream.named("weight"))
                if module.bias is not None:
                    fill(module.bias, 1 / math.sqrt(fan_in), stream.named("bias"))
        for name, parameter in model.named_parameters():
            if name.endswith("similarity.raw"):  # a float32 there
                parameter.fill_(float(np.float32(ref.SOFTPLUS_INVERSE_OF_ONE)))


def digest(tensor):
    """Up to eight values, evenly spread, and the norm: enough to tell where a difference is."""
    flat = tensor.detach().reshape(-1)
    chosen = flat[torch.linspace(0, len(flat) - 1, min(8, len(flat))).round().long()]
    return torch.cat([chosen, flat.norm()[None]])


def views_of_all_steps():
    """Four views of 64 pairs in each of ten steps, float32: x+ changes some entries of x."""
    generator = torch.Generator().manual_seed(23)
    normal = lambda *shape: torch.randn(*shape, generator=generator, dtype=torch.float32)
    mixing = normal(OBSERVATION, OBSERVATION) / OBSERVATION**0.5
    file, steps = TensorFile("views"), []
    g = lambda content: torch.nn.functional.leaky_relu(
        torch.cat([content, normal(BATCH, 5)], dim=1) @ mixing, 0.2)
    for step in range(1, STEPS + 1):
        content = normal(BATCH, 5)
        changed = torch.rand(BATCH, 5, generator=generator) < 0.3
        content_plus = torch.where(changed, normal(BATCH, 5), content)
        views = {"x": g(content), "x_plus": g(content_plus), "helper": g(content_plus),
                 "mirror_helper": g(content)}
        file.add_all(f"step{step:02}", views.items())
        steps.append({name: view.double() for name, view in views.items()})
    file.save()
    return steps


def ten_steps():
    steps = views_of_all_steps()
    encoder = lambda: ref.MlpEncoder([OBSERVATION, 100, 100, 100, 100, D])
    contrastive = lambda similarity, predictor=None: ref.Contrastive(similarity, 0.1, predictor=predictor)
    plain = lambda objective: ref.JointEmbedding(encoder(), ref.NoLatent(), ref.NoEditor(), objective)
    wide = [D, 100, 100, 100, D]
    models = {
        "adassl_v": ('method = "adassl-v"', ref.JointEmbedding(
            encoder(), ref.Variational(D, D_R, [64, 64]), ref.LinearEditor(D, D_R),
            contrastive(ref.Isotropic()))),
        "adassl_s": ('method = "adassl-s"', ref.JointEmbedding(
            encoder(), ref.Sparse(D, D_R, [64, 64]), ref.ModularEditor(D, D_R),
            contrastive(ref.Isotropic()))),
        "infonce": ('method = "infonce"', plain(contrastive(ref.Isotropic()))),
        "aninfonce": ('method = "aninfonce"', plain(contrastive(ref.Anisotropic(D)))),
        "hinfonce_affine": ('method = "hinfonce-affine"',
                            plain(contrastive(ref.HeteroscedasticAffine(D)))),
        "hinfonce_mlp": ('method = "hinfonce-mlp"\nobjective.predictor = true', plain(contrastive(
            ref.HeteroscedasticMlp(D, wide[1:-1]), ref.Mlp(wide, norm=True, slope=0.01)))),
    }
    for name, (config, model) in models.items():
        file = TensorFile(f"steps_{name}")
        seed = SEEDS.get(name, SEED)
        file.metadata = {"config": config, "seed": str(seed)}
        initialise(model, seed)
        initial = {n: digest(p) for n, p in model.named_parameters()}
        gradients = {}
        optimizer = torch.optim.AdamW(groups(list(model.parameters()), 1e-4), lr=5e-4)
        terms = {"loss": [], "ssl": [], "reg": [], "gradient_norm": []}
        for step, views in enumerate(steps, start=1):
            optimizer.zero_grad()
            out = model(views, beta_of(model, step),
                        noise_of(model, Stream(seed, "noise", step - 1), BATCH))
            out["loss"].backward()
            if step == 1:
                gradients = {n: digest(p.grad) for n, p in model.named_parameters()}
            out["gradient_norm"] = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            for term, values in terms.items():
                values.append(out[term].item())
        for n, p in model.named_parameters():
            file.add(f"digest/{n}", torch.stack([initial[n], gradients[n], digest(p)]))
        file.add_all("term", [(n, np.array(v)) for n, v in terms.items()])
        file.add_all("after", [(n, digest(b)) for n, b in buffers(model)])
        file.save()


def write():
    adamw()
    small_models()
    ten_steps()
