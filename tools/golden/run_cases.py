"""Whole models: every gradient of small ones, and ten optimiser steps."""

import numpy as np
import torch

import draws
import models
import reference as ref
import resnet_models
from draws import buffers
from optimizer_cases import groups, momentum_of, schedule
from tensor_file import TensorFile

STEPS = 10
# With these seeds PyTorch's own float32 stays within 1e-4 of its float64 for ten steps, and so does
# ours. With others adassl_v and hinfonce_mlp may not (of seeds 1 to 8 two and three, in PyTorch; of
# ours, on either path, about as many): a pre-activation within rounding of a LeakyReLU's kink falls
# on the other side, the gradient jumps, and losses part by up to 3e-3. Float64 does not mind: ours
# agreed with all eight. Nor do the models of images, which PyTorch keeps within 3e-6 with seeds 1
# to 4.
SEED = 2
SEEDS = {"hinfonce_mlp": 4}


def digest(tensor, values=8):
    """Up to so many values, evenly spread, and the norm: enough to tell where a difference is."""
    flat = tensor.detach().reshape(-1)
    chosen = flat[torch.linspace(0, len(flat) - 1, min(values, len(flat))).round().long()]
    return torch.cat([chosen, flat.norm()[None]])


def row(tensor, values):
    """A digest of fixed length, with zeros between the values and the norm."""
    of = digest(without_rounding(tensor), values)
    return torch.cat([of[:-1], torch.zeros(values + 1 - len(of)), of[-1:]])


def add_parameter_gradients(file, case, module):
    """A kernel that is flat in space or in time is a two-dimensional one there."""
    for name, parameter in module.named_parameters():
        gradient = parameter.grad
        if gradient is not None:
            gradient = gradient.flatten(2, 3) if gradient.dim() == 5 else gradient
            file.add(f"{case}/gradient/parameter/{name}", without_rounding(gradient))


def without_rounding(tensor):
    """What a BatchNorm takes away has a gradient, and a mean, of nothing but rounding: write 0."""
    return torch.zeros_like(tensor) if tensor.norm() < 1e-10 else tensor


def one_step(name, config, model, observation, change):
    step, rows = 400, 6
    file = TensorFile(f"model_{name}")
    file.metadata = {"config": config, "seed": str(SEED), "step": str(step), "rows": str(rows),
                     "observation": " ".join(map(str, observation)), "change": str(change)}
    model.make_target()
    draws.disturb(model, SEED)
    views = draws.views(observation, change, rows, SEED, step)
    for view in views.values():
        view.requires_grad_()
    out = model(views, step, draws.noise(model.latent, SEED, step, rows))
    out["loss"].backward()
    file.add_all("value", out.items())
    seen = [(n, v.grad) for n, v in views.items() if v.grad is not None]
    file.add_all("digest/input", [(n, digest(gradient)) for n, gradient in seen])
    add_parameter_gradients(file, "all", model)
    file.add_all("after", buffers(model))
    file.save()


def ten_steps(name, config, model, observation, rows, settings, momentum=None, change=0,
              pixels=False, values=8):
    """`values` tells how many of each tensor the file holds: "digest" [parameters, 3 moments,
    values + 1] and "after" [buffers, values + 1], with the names in the metadata."""
    file = TensorFile(f"steps_{name}")
    seed = SEEDS.get(name, SEED)
    file.metadata = {"config": config, "seed": str(seed), "rows": str(rows),
                     "observation": " ".join(map(str, observation)), "change": str(change),
                     **({"pixels": "1"} if pixels else {})}
    draws.initialise(model, seed)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(groups(trained, settings["decay"]), lr=settings["rate"])
    scheduler = schedule(optimizer, settings["schedule"], settings["warmup"], STEPS)
    moments = {n: [row(p, values)] for n, p in model.named_parameters()}
    terms = {}
    only_rounding = {n for n, p in model.named_parameters() if p.requires_grad}
    for step in range(1, STEPS + 1):
        optimizer.zero_grad()
        out = model(draws.views(observation, change, rows, seed, step, pixels), step,
                    draws.noise(model.latent, seed, step, rows))
        out["loss"].backward()
        if step == 1:
            for n, p in model.named_parameters():
                gradient = torch.zeros_like(p) if p.grad is None else p.grad
                moments[n].append(row(gradient, values))
        only_rounding -= {n for n, p in model.named_parameters()
                          if p.requires_grad and p.grad.norm() > 1e-12}
        out["gradient_norm"] = torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        scheduler.step()
        if model.target is not None:
            model.follow(momentum_of(*momentum, step, STEPS))
        for term, value in out.items():
            terms.setdefault(term, []).append(value.item())
    file.metadata["only_rounding"] = " ".join(sorted(only_rounding))
    file.add_all("term", [(n, np.array(v)) for n, v in terms.items()])
    for n, p in model.named_parameters():
        moments[n].append(row(p, values))
    file.metadata["parameters"] = " ".join(moments)
    file.add("digest", torch.stack([torch.stack(of) for of in moments.values()]))
    file.metadata["buffers"] = " ".join(n for n, _ in buffers(model))
    if buffers(model):
        file.add("after", torch.stack([row(b, values) for _, b in buffers(model)]))
    file.save()


def write():
    for name, (config, model) in models.small_numerical().items():
        change = models.D_R if isinstance(model.latent, ref.Given) else 0
        one_step(name, config, model, models.OBSERVATION, change)
    for name, (config, model) in models.small_video().items():
        one_step(name, config, model, models.CLIP, models.CHANGE)
    for name, (config, model) in {**models.small_vaes(), **models.small_lie()}.items():
        one_step(name, config, model, models.OBSERVATION, 0)

    settings = {"rate": 5e-4, "decay": 1e-4, "schedule": "constant", "warmup": 0}
    for name, (config, model) in models.whole_numerical().items():
        ten_steps(name, config, model, models.OBSERVATION, 64, settings)
    settings = {"rate": 1e-3, "decay": 0.01, "schedule": "cosine", "warmup": 2}
    text = ("optimizer.learning_rate = 0.001\noptimizer.weight_decay = 0.01\n"
            'optimizer.schedule = "cosine"\noptimizer.warmup_steps = 2\n')
    for name, kind in [("byol", "constant"), ("byol_v", "cosine"), ("byol_s", "constant")]:
        config, model = models.small_video()[name]
        config += text + f'objective.momentum = 0.9\nobjective.schedule = "{kind}"\n'
        ten_steps(name, config, model, models.CLIP, 16, settings, (0.9, kind))

    for rate, decay, momentum, pixels, of_images in [
            (2e-4, 1e-4, None, False, resnet_models.contrastive()),
            (2e-4, 1e-4, resnet_models.MOMENTUM, False, resnet_models.distilled()),
            (1e-4, 1e-5, None, True, resnet_models.autoencoders())]:
        settings = {"rate": rate, "decay": decay, "schedule": "constant", "warmup": 0}
        text = f"optimizer.learning_rate = {rate}\noptimizer.weight_decay = {decay}\n"
        for name, (config, model) in of_images.items():
            change = resnet_models.CHANGE if isinstance(model.latent, ref.Given) else 0
            ten_steps(name, config + text, model, resnet_models.PICTURE, 8, settings, momentum,
                      change, pixels, values=4)
