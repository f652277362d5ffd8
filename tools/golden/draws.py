"""What both sides draw by Philox, so that no file holds it: initial weights, parameters and running
statistics that are nobody's initial values, views of pairs, noise."""

import math

import numpy as np
import torch

import reference as ref
from philox import Stream


def buffers(module):
    return [(n, b) for n, b in module.named_buffers() if not n.endswith("num_batches_tracked")]


def disturb(module, seed):
    """Gains around 1, variances and means around those of a standard normal, the rest around 0."""
    flat = lambda kind, name, like: torch.from_numpy(
        getattr(Stream(seed, f"golden/{name}"), kind)(1, like.numel())).double().view_as(like)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            gain = parameter.dim() == 1 and name.endswith("weight")
            parameter.copy_((1.0 if gain else 0.0) + 0.3 * flat("normal", name, parameter))
        for name, buffer in buffers(module):
            around = 0.5 if name.endswith("var") else -0.5
            buffer.copy_(around + flat("uniform", name, buffer))
    return module


def views(observation, change, rows, seed, step, pixels=False):
    """x+ is like x, the helper like x+, its mirror image like x. The sums are float32's. Of pixels,
    which lie between 0 and 1, there are x and x+ only."""
    stream = Stream(seed, "views", step)
    kind = "uniform" if pixels else "normal"
    drawn = lambda name: getattr(stream.named(name), kind)(rows, math.prod(observation))
    x = drawn("x")
    if pixels:
        flat = {"x": x, "x_plus": (x + drawn("x_plus")) / 2}
    else:
        x_plus = x + drawn("x_plus") / 2
        flat = {"x": x, "x_plus": x_plus, "helper": x_plus + drawn("helper") / 4,
                "mirror_helper": x + drawn("mirror_helper") / 4}
    out = {name: torch.from_numpy(view).double().view(rows, *observation)
           for name, view in flat.items()}
    if change > 0:
        out["change"] = torch.from_numpy(stream.named("change").normal(rows, change)).double()
    return out


def noise(latent, seed, step, rows):
    """What the latent of each direction draws at training step 1, 2, ..."""
    if latent.noise is None:
        return {}
    stream = Stream(seed, "noise", step - 1)
    drawn = lambda name: getattr(stream.named(name), latent.noise)(rows, latent.d_r)
    return {name: torch.from_numpy(drawn(name)).double() for name in ["forward", "backward"]}


def fill(parameter, bound, stream):
    rows = parameter.shape[0]
    drawn = stream.uniform(rows, parameter.numel() // rows) * np.float32(2) - np.float32(1)
    drawn = drawn.reshape(parameter.shape) * np.float32(bound)
    parameter.copy_(torch.from_numpy(drawn.astype(np.float64)))


def fill_normal(parameter, deviation, stream):
    rows = parameter.shape[0]
    drawn = stream.normal(rows, parameter.numel() // rows) * np.float32(deviation)
    parameter.copy_(torch.from_numpy(drawn.reshape(parameter.shape).astype(np.float64)))


STABILISED = ("latent.prior.", "latent.posterior.", "latent.m.", "editor.linear", "editor.mlp.")


def initialise(model, seed):
    """PyTorch's default for Linear, for convolutions of clips, and for the last one of a decoder;
    normal with variance 2 / fan out for the other convolutions of images; Xavier with gain sqrt(2)
    and no bias for the networks of AdaSSL's latents and for the linear and MLP editors; zero for
    the matrix B of the modular editor; normal with deviation 1 / d for LieSSL's generators. Drawn
    by module name. BYOL's target network is a copy."""
    with torch.no_grad():
        for name, module in model.named_modules():
            if not isinstance(module, (torch.nn.Linear, torch.nn.Conv2d, torch.nn.Conv3d)):
                continue
            stream = Stream(seed, f"initialise/model.{name}")
            fan_in = module.weight[0].numel()
            if name == "editor.b":
                module.weight.zero_()
            elif isinstance(module, torch.nn.Conv2d) and name != "decoder.image":
                fan_out = module.weight[:, 0].numel()
                fill_normal(module.weight, math.sqrt(2 / fan_out), stream.named("weight"))
            elif name.startswith(STABILISED):
                gain, fan_out = torch.nn.init.calculate_gain("relu"), module.weight.shape[0]
                bound = gain * math.sqrt(6 / (fan_in + fan_out))
                fill(module.weight, bound, stream.named("weight"))
                if module.bias is not None:
                    module.bias.zero_()
            else:
                fill(module.weight, 1 / math.sqrt(fan_in), stream.named("weight"))
                if module.bias is not None:
                    fill(module.bias, 1 / math.sqrt(fan_in), stream.named("bias"))
        for name, parameter in model.named_parameters():
            if name.endswith("similarity.raw"):  # a float32 there
                parameter.fill_(float(np.float32(ref.SOFTPLUS_INVERSE_OF_ONE)))
            if name == "editor.generators":
                k, d, _ = parameter.shape
                stream = Stream(seed, "initialise/model.editor").named("generators")
                drawn = stream.normal(k, d * d).reshape(k, d, d) / np.float32(d)
                parameter.copy_(torch.from_numpy(drawn.astype(np.float64)))
    model.make_target()
