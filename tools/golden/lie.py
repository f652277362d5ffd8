"""LieSSL in plain PyTorch, with dense matrix exponentials."""

import torch
import torch.nn.functional as F
from torch import nn

import reference as ref
from networks import Mlp


class LieLatent(ref.Latent):
    needs_helper = True

    def __init__(self, d, d_r, hidden, slope=0.0, beta=0.1):
        super().__init__(d_r, beta)
        self.h = Mlp([2 * d, *hidden, d_r], norm=True, slope=slope)

    def forward(self, e, helper, change, noise):
        t = self.h(torch.cat([e, helper], dim=1))
        return t, t**2


class LieEditor(nn.Module):
    def __init__(self, d, d_r):
        super().__init__()
        self.generators = nn.Parameter(torch.zeros(d_r, d, d))

    def forward(self, e, r):
        matrices = torch.matrix_exp(torch.einsum("bk,kij->bij", r, self.generators))
        return torch.einsum("bij,bj->bi", matrices, e)


class LieObjective(nn.Module):
    def __init__(self, contrastive, transported=1.0, detour=1.0):
        super().__init__()
        self.contrastive, self.transported, self.detour = contrastive, transported, detour

    @property
    def weights(self):
        return self.contrastive.weights

    def hinge(self, e, e_hat, target):
        e, e_hat, target = [self.contrastive.psi(of) for of in (e, e_hat, target)]
        before, after = torch.norm(e - target, dim=1) ** 2, torch.norm(e_hat - target, dim=1) ** 2
        return F.relu(after - before).mean()

    def forward(self, e_x, e_y, y_hat, x_hat=None):
        mirrored = x_hat is not None
        plain = self.contrastive(e_x, e_y, e_x, e_y if mirrored else None)
        moved = self.contrastive(e_x, e_y, y_hat, x_hat)
        hinge = self.hinge(e_x, y_hat, e_y)
        if mirrored:
            hinge = (hinge + self.hinge(e_y, x_hat, e_x)) / 2
        self.terms = {"ssl_plain": plain, "ssl_transported": moved, "detour": hinge}
        return plain + self.transported * moved + self.detour * hinge


class LieSsl(ref.JointEmbedding):
    """Which also tells the terms of its loss."""

    def learned_weights(self):
        return {**super().learned_weights(), **self.objective.terms}
