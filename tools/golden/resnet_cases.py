"""torchvision's residual networks, narrow ones, in both modes."""

import copy

import torch

import draws
from networks import NarrowResNet
from philox import Stream
from run_cases import digest, without_rounding
from tensor_file import TensorFile

SEED, ROWS, WIDTH = 3, 4, 8  # narrower ones corrupt memory in float32: a defect of oneDNN 2.6
# Depth, stem, and the side of the images; the last ones are odd in the middle of the network.
CASES = [(18, "small", 16), (18, "large", 36), (18, "torchvision", 64), (50, "small", 16),
         (50, "torchvision", 72)]


def digests(named):
    return torch.cat([digest(without_rounding(tensor)) for _, tensor in named])


def write():
    for depth, stem, side in CASES:
        observation = (3, side, side)
        original = NarrowResNet(depth, stem, WIDTH).double()
        draws.disturb(original, SEED)
        file = TensorFile(f"resnet{depth}_{stem}")
        file.metadata = {
            "depth": str(depth), "width": str(WIDTH), "stem": stem, "seed": str(SEED),
            "rows": str(ROWS), "observation": " ".join(map(str, observation)), "change": "0",
            "parameters": " ".join(name for name, _ in original.named_parameters()),
            "buffers": " ".join(name for name, _ in draws.buffers(original))}
        x = draws.views(observation, 0, ROWS, SEED, 1)["x"].requires_grad_()
        for case in ["train", "eval"]:
            module = copy.deepcopy(original)
            module.train(case == "train")
            x.grad = None
            y = module(x)
            cotangent = Stream(SEED, "cotangent").normal(*y.shape)
            (y * torch.from_numpy(cotangent).double()).sum().backward()
            file.add(f"{case}/value", y)
            file.add(f"{case}/gradient/x", digest(x.grad))
            file.add(f"{case}/gradient/parameters",
                     digests([(n, p.grad) for n, p in module.named_parameters()]))
            file.add(f"{case}/after", digests(draws.buffers(module)))
        file.save()
