"""AdaSSL in plain PyTorch, from the paper and the notes on its official code. Parameters bear the
names that the C++ modules give them; everything else is written the obvious, slow way."""

import copy

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical, Normal, kl_divergence

from networks import Mlp, MlpEncoder, ResNetEncoder, VideoCnn

SOFTPLUS_INVERSE_OF_ONE = 0.5413248546129181  # log(e - 1)


# ---- latents: forward(e, helper, change, noise) -> (r, cost per dimension); beta at step 1, 2, ...


def gaussian(output):
    mean, a = output[:, : output.shape[1] // 2], output[:, output.shape[1] // 2 :]
    log_variance = torch.log((F.softplus(a) + 1e-6) ** 2).clamp(-10, 10)
    return Normal(mean, torch.exp(log_variance / 2))


def open_gates(logits, u):
    """Gumbel-sigmoid at temperature 1; forward the hard gate, backward the soft one."""
    logit = logits + torch.logit(u.clamp(1e-6, 1 - 1e-6))
    soft = torch.sigmoid(logit)
    return (logit > 0).to(soft) + (soft - soft.detach())


class Latent(nn.Module):
    noise, needs_helper = None, False
    in_use = None  # [B, d_r] of the last call: KL, or gates that are open; None where r is free

    def __init__(self, d_r=0, beta=0.0, warmup=0):
        super().__init__()
        self.d_r, self.largest_beta, self.warmup = d_r, beta, warmup

    def beta(self, step):
        return self.largest_beta * (min(step / self.warmup, 1) if self.warmup else 1)


class Variational(Latent):
    noise, needs_helper = "normal", True

    def __init__(self, d, d_r, hidden, slope=0.01, beta=0.5, warmup=1000):
        super().__init__(d_r, beta, warmup)
        self.prior = Mlp([d, *hidden, 2 * d_r], norm=True, slope=slope)
        self.posterior = Mlp([2 * d, *hidden, 2 * d_r], norm=True, slope=slope)

    def forward(self, e, helper, change, eps):
        p = gaussian(self.prior(e))
        q = gaussian(self.posterior(torch.cat([e, helper], dim=1)))
        self.in_use = kl_divergence(q, p)
        return q.loc + q.scale * eps, self.in_use

    def imagine(self, e, eps):
        p = gaussian(self.prior(e))
        return p.loc + p.scale * eps


class Sparse(Latent):
    noise, needs_helper = "uniform", True

    def __init__(self, d, d_r, hidden, slope=0.01, beta=1.0):
        super().__init__(d_r, beta)
        self.m = Mlp([2 * d, *hidden, 2 * d_r], norm=True, slope=slope)

    def forward(self, e, helper, change, u):
        output = self.m(torch.cat([e, helper], dim=1))
        logits, values = output[:, : self.d_r], output[:, self.d_r :]
        gates = open_gates(logits, u)
        self.in_use = gates
        return gates * values, torch.sigmoid(logits)


class Given(Latent):
    """The true change, as it is or through an affine map."""

    def __init__(self, change=0, d_r=0):
        super().__init__(d_r)
        if d_r > 0:
            self.affine = nn.Linear(change, d_r)

    def forward(self, e, helper, change, noise):
        r = self.affine(change) if hasattr(self, "affine") else change
        return r, torch.zeros_like(r)


class Future(Latent):
    needs_helper = True

    def forward(self, e, helper, change, noise):
        return helper, torch.zeros_like(helper)


class NoLatent(Latent):
    def forward(self, e, helper, change, noise):
        return e[:, :0], e[:, :0]


# ---- editors: forward(e, r) -> e_hat


class NoEditor(nn.Module):
    def forward(self, e, r):
        return e


class AdditiveEditor(nn.Module):
    def forward(self, e, r):
        return e + r


class ConcatEditor(nn.Module):
    """The predictor behind it is the editor."""

    def forward(self, e, r):
        return torch.cat([e, r], dim=1)


class LinearEditor(nn.Module):
    def __init__(self, d, d_r):
        super().__init__()
        self.linear = nn.Linear(d + d_r, d, bias=False)

    def forward(self, e, r):
        return self.linear(torch.cat([e, r], dim=1))


class MlpEditor(nn.Module):
    def __init__(self, d, d_r, hidden, slope=0.0):
        super().__init__()
        self.mlp = Mlp([d + d_r, *hidden, d], norm=True, slope=slope, out_bias=False)

    def forward(self, e, r):
        return self.mlp(torch.cat([e, r], dim=1))


class ModularEditor(nn.Module):
    def __init__(self, d, d_r):
        super().__init__()
        self.a = nn.Linear(d, d_r)
        self.b = nn.Linear(d_r, d, bias=False)

    def forward(self, e, r):
        out = e
        for i in range(r.shape[1]):  # one rank-1 edit at a time
            coordinate = e @ self.a.weight[i] + self.a.bias[i]
            out = out + torch.outer(torch.tanh(r[:, i]) * coordinate, self.b.weight[:, i])
        return out


# ---- similarities: forward(e) -> Lambda of each anchor [N, d]


class Isotropic(nn.Module):
    def __init__(self, learned=True):
        super().__init__()
        if learned:
            self.raw = nn.Parameter(torch.tensor(SOFTPLUS_INVERSE_OF_ONE))

    def forward(self, e):
        return torch.ones_like(e) * (F.softplus(self.raw) if hasattr(self, "raw") else 1)


class Anisotropic(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.raw = nn.Parameter(torch.full((d,), SOFTPLUS_INVERSE_OF_ONE))

    def forward(self, e):
        return torch.ones_like(e) * F.softplus(self.raw)


class HeteroscedasticAffine(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.affine = nn.Linear(d, d)

    def forward(self, e):
        return F.softplus(self.affine(e) + SOFTPLUS_INVERSE_OF_ONE)


class HeteroscedasticMlp(nn.Module):
    def __init__(self, d, hidden, slope=0.01):
        super().__init__()
        self.mlp = Mlp([d, *hidden, d], norm=True, slope=slope)

    def forward(self, e):
        return F.softplus(self.mlp(e) + SOFTPLUS_INVERSE_OF_ONE)


# ---- objectives


class Contrastive(nn.Module):
    def __init__(self, similarity, tau, form="distance", negatives="targets", clamp=0.0,
                 hypersphere=True, predictor=None):
        super().__init__()
        self.similarity, self.predictor = similarity, predictor
        self.tau, self.form, self.negatives = tau, form, negatives
        self.clamp, self.hypersphere = clamp, hypersphere

    def psi(self, e):
        return F.normalize(e, dim=1) if self.hypersphere else e

    def logits(self, q, k, weights):
        if self.form == "distance":
            difference = q[:, None, :] - k[None, :, :]  # [N, M, d]
            out = -(weights[:, None, :] * difference**2).sum(2) / self.tau
        else:
            out = (weights[:, None, :] * q[:, None, :] * k[None, :, :]).sum(2) / self.tau
        self.beyond_clamp = int((out.abs() > self.clamp).sum())
        return out.clamp(-self.clamp, self.clamp) if self.clamp > 0 else out

    def direction(self, e, e_hat, target):
        q = self.psi(e_hat if self.predictor is None else self.predictor(e_hat))
        weights = self.weights = self.similarity(e)
        rows = range(len(e))
        if self.negatives == "targets":
            return F.cross_entropy(self.logits(q, self.psi(target), weights), torch.tensor(rows))
        sim = self.logits(q, torch.cat([self.psi(target), self.psi(e)]), weights)  # [N, 2N]
        candidates = []
        for i in rows:  # the positive first; neither it again nor the row's own source
            others = [j for j in range(2 * len(e)) if j not in (i, len(e) + i)]
            candidates.append(sim[i, [i, *others]])
        return F.cross_entropy(torch.stack(candidates), torch.zeros(len(e), dtype=torch.long))

    def forward(self, e_x, e_y, y_hat, x_hat=None):
        """x_hat only where the loss is symmetric."""
        out = self.direction(e_x, y_hat, e_y)
        return out if x_hat is None else 0.5 * (out + self.direction(e_y, x_hat, e_x))


class Distillation(nn.Module):
    """BYOL: a predictor, and 2 - 2 cos to what the target network says."""

    def __init__(self, predictor, hypersphere=True):
        super().__init__()
        self.predictor, self.hypersphere = predictor, hypersphere

    def direction(self, e_hat, target):
        prediction = self.predictor(e_hat)
        if self.hypersphere:
            return (2 - 2 * F.cosine_similarity(prediction, target, dim=1)).mean()
        return ((prediction - target) ** 2).sum(1).mean()

    def forward(self, e_x, e_y, y_hat, x_hat=None, *, x_target, y_target):
        out = self.direction(y_hat, y_target)
        return out if x_hat is None else 0.5 * (out + self.direction(x_hat, x_target))


# ---- the whole model


class JointEmbedding(nn.Module):
    def __init__(self, encoder, latent, editor, objective, symmetric=True, helper="view"):
        super().__init__()
        self.encoder, self.latent, self.editor = encoder, latent, editor
        self.objective, self.symmetric, self.helper = objective, symmetric, helper
        self.target = None

    def make_target(self):
        """BYOL's second network; it runs in training mode and keeps statistics of its own."""
        if isinstance(self.objective, Distillation):
            self.target = copy.deepcopy(self.encoder).requires_grad_(False)

    def follow(self, momentum):
        with torch.no_grad():
            for own, followed in zip(self.target.parameters(), self.encoder.parameters()):
                own.copy_(momentum * own + (1 - momentum) * followed)

    def forward(self, views, step, noise):
        """views: x, x_plus, helper, mirror_helper, change; noise: forward, backward."""
        e_x, e_y = self.encoder(views["x"]), None
        if self.target is None or self.symmetric:
            e_y = self.encoder(views["x_plus"])
        targets = {}
        a_y, a_x = e_y, e_x
        if self.target is not None:
            with torch.no_grad():
                a_y = self.target(views["x_plus"])
                a_x = self.target(views["x"]) if self.symmetric else None
            targets = {"y_target": a_y, "x_target": a_x}
        if self.helper == "view" and self.latent.needs_helper:
            a_y = self.encoder(views["helper"])
            a_x = self.encoder(views["mirror_helper"]) if self.symmetric else None
        change = views.get("change")
        r, cost = self.latent(e_x, a_y, change, noise.get("forward"))
        in_use = [self.latent.in_use]
        y_hat, reg = self.editor(e_x, r), cost.sum(1).mean()
        x_hat = None
        if self.symmetric:
            back = None if change is None else -change
            r, cost = self.latent(e_y, a_x, back, noise.get("backward"))
            in_use.append(self.latent.in_use)
            x_hat, reg = self.editor(e_y, r), (reg + cost.sum(1).mean()) / 2
        ssl = self.objective(e_x, e_y, y_hat, x_hat, **targets)
        return {"loss": ssl + self.latent.beta(step) * reg, "ssl": ssl, "reg": reg,
                **self.learned_weights(), **self.use_of_r(in_use)}

    def learned_weights(self):
        if isinstance(self.objective, Distillation):
            return {}
        weights = self.objective.weights.detach()
        mean = weights.mean()
        return {"lambda": mean, "lambda_spread": weights.std(unbiased=False) / mean}

    def use_of_r(self, in_use):
        """How many gates are open, and the entropy of the dimensions' shares."""
        if in_use[0] is None:
            return {}
        each = torch.cat(in_use).detach().mean(0)
        return {"gates_open": each.sum(), "r_entropy": Categorical(probs=each).entropy()}
