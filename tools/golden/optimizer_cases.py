"""AdamW and the schedules of its rate and of the target network's momentum, each alone."""

import math

import numpy as np
import torch
from torch.optim.lr_scheduler import ConstantLR, CosineAnnealingLR, LinearLR, SequentialLR

from part_cases import leaf
from tensor_file import TensorFile


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


def schedule(optimizer, kind, warmup, steps):
    """Rises in equal parts to the whole rate at step `warmup`; then half a cosine whose first step
    is a whole one."""
    cosine = kind == "cosine"
    main = CosineAnnealingLR(optimizer, steps - warmup) if cosine else ConstantLR(optimizer, 1)
    if warmup == 0:
        return main
    rise = LinearLR(optimizer, start_factor=1 / warmup, total_iters=max(warmup - 1, 1))
    return SequentialLR(optimizer, [rise, main], milestones=[warmup])


def momentum_of(first, kind, step, steps):
    """How much of the target network stays after training step 1, 2, ..."""
    if kind == "constant":
        return first
    return 1 - (1 - first) * (math.cos(math.pi * step / steps) + 1) / 2


def schedules():
    file = TensorFile("schedules")
    cases = [("cosine", 0, 10), ("cosine", 2, 10), ("cosine", 7, 50), ("constant", 0, 5),
             ("constant", 4, 10)]
    for kind, warmup, steps in cases:
        case = f"{kind}-{warmup}-{steps}"
        file.metadata[case] = (f'train.steps = {steps}\noptimizer.schedule = "{kind}"\n'
                               f"optimizer.warmup_steps = {warmup}")
        optimizer = torch.optim.AdamW([torch.zeros(1, requires_grad=True)], lr=1.0)
        rates, scheduler = [], schedule(optimizer, kind, warmup, steps)
        for _ in range(steps):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            scheduler.step()
        file.add(f"rate/{case}", np.array(rates))
    for kind, first, steps in [("cosine", 0.996, 25), ("cosine", 0.9, 10), ("constant", 0.9, 10)]:
        case = f"{kind}-{first}-{steps}"
        file.metadata[case] = (f'train.steps = {steps}\nobjective.kind = "distillation"\n'
                               f'objective.schedule = "{kind}"\nobjective.momentum = {first}')
        file.add(f"momentum/{case}", np.array(
            [momentum_of(first, kind, step, steps) for step in range(1, steps + 1)]))
    file.save()


def write():
    adamw()
    schedules()
