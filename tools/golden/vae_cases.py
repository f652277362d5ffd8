"""The formulas of the autoencoders, and the network that mirrors a residual network."""

import copy

import torch

import draws
import vae
from philox import Stream
from part_cases import leaf
from resnet_cases import WIDTH, digests
from run_cases import digest
from tensor_file import TensorFile

SEED, ROWS, DIM = 4, 4, 5


def likelihoods():
    torch.manual_seed(21)
    file = TensorFile("likelihoods")
    y, cotangent = leaf(ROWS, 3, 4, 5, scale=4.0), torch.randn(ROWS)
    x = torch.rand(ROWS, 3, 4, 5)
    x[0, 0] = torch.tensor([0.0, 1.0, 0.0, 1.0, 0.5])
    file.add_all("input", [("y", y), ("x", x)])
    file.add("cotangent", cotangent)
    for case, loss_of in [("bernoulli", vae.bernoulli_loss), ("gaussian", vae.gaussian_loss)]:
        y.grad = None
        loss = loss_of(y, x)
        (loss * cotangent).sum().backward()
        file.add(f"{case}/value/loss", loss)
        file.add_gradients(case, [("input/y", y)])
    file.save()


def shared_posteriors():
    torch.manual_seed(22)
    file = TensorFile("adagvae")
    inputs = [(name, leaf(ROWS, DIM)) for name in ["m1", "lv1", "m2", "lv2"]]
    with torch.no_grad():
        inputs[2][1][0] = inputs[0][1][0]  # a row whose means are equal
    leaves = [tensor for _, tensor in inputs]
    file.add_all("input", inputs)
    file.add("value/delta", vae.delta(*leaves))
    *shared, changed = vae.share(*leaves)
    kl = vae.kl_from_standard(shared[0], shared[1])
    values = [*zip(["m1", "lv1", "m2", "lv2"], shared), ("changed", changed), ("kl", kl)]
    file.add_all("value", values)
    loss = 0
    for name, value in [value for value in values if value[0] != "changed"]:
        cotangent = torch.randn(ROWS, DIM)
        file.add(f"cotangent/{name}", cotangent)
        loss = loss + (value * cotangent).sum()
    loss.backward()
    file.add_gradients("share", [(f"input/{name}", tensor) for name, tensor in inputs])
    file.save()


def mirrored_resnets():
    for stem, image in [("small", (3, 16, 16)), ("large", (3, 36, 33)),
                        ("torchvision", (1, 33, 36))]:
        original = vae.MirroredResNet(stem, image, WIDTH, DIM).double()
        draws.disturb(original, SEED)
        file = TensorFile(f"mirrored_resnet18_{stem}")
        file.metadata = {
            "width": str(WIDTH), "stem": stem, "seed": str(SEED), "rows": str(ROWS),
            "image": " ".join(map(str, image)), "observation": str(DIM), "change": "0",
            "parameters": " ".join(name for name, _ in original.named_parameters()),
            "buffers": " ".join(name for name, _ in draws.buffers(original))}
        z = draws.views((DIM,), 0, ROWS, SEED, 1)["x"].requires_grad_()
        for case in ["train", "eval"]:
            module = copy.deepcopy(original)
            module.train(case == "train")
            z.grad = None
            y = module(z)
            cotangent = torch.from_numpy(Stream(SEED, "cotangent").normal(ROWS, y[0].numel()))
            (y.flatten(1) * cotangent.double()).sum().backward()
            file.add(f"{case}/value", digest(y))
            file.add(f"{case}/gradient/x", digest(z.grad))
            file.add(f"{case}/gradient/parameters",
                     digests([(n, p.grad) for n, p in module.named_parameters()]))
            file.add(f"{case}/after", digests(draws.buffers(module)))
        file.save()


def write():
    likelihoods()
    shared_posteriors()
    mirrored_resnets()
