"""beta-VAE and AdaGVAE in plain PyTorch."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Bernoulli, Normal, kl_divergence

from networks import Mlp


def posterior(mean, log_variance):
    return Normal(mean, torch.exp(log_variance / 2))


def bernoulli_loss(y, x):
    return -Bernoulli(logits=y, validate_args=False).log_prob(x).flatten(1).sum(1)


def gaussian_loss(y, x):
    return F.mse_loss(y, x, reduction="none").flatten(1).sum(1) / 2


def kl_from_standard(mean, log_variance):
    q = posterior(mean, log_variance)
    return kl_divergence(q, Normal(torch.zeros_like(mean), torch.ones_like(mean)))


def delta(m1, lv1, m2, lv2):
    """Of each latent of each pair."""
    v1, v2 = torch.exp(lv1), torch.exp(lv2)
    return v1 / v2 + (m2 - m1) ** 2 / v2 - 1 + lv2 - lv1


def share(m1, lv1, m2, lv2):
    """Row by row: latents in the lower of two bins get the average of both posteriors."""
    changes = delta(m1, lv1, m2, lv2).detach()
    rows = []
    for i in range(len(m1)):
        edge = changes[i].min() + (changes[i].max() - changes[i].min()) / 2
        keep = changes[i] >= edge
        mean = torch.stack([m1[i], m2[i]]).mean(0)
        variance = torch.stack([lv1[i].exp(), lv2[i].exp()]).mean(0)
        pick = lambda own, average: torch.where(keep, own, average)
        rows.append((pick(m1[i], mean), pick(lv1[i], variance.log()), pick(m2[i], mean),
                     pick(lv2[i], variance.log()), keep.double()))
    return [torch.stack(column) for column in zip(*rows)]


class GaussianEncoder(nn.Module):
    def __init__(self, trunk, width, dim):
        super().__init__()
        self.trunk, self.mean = trunk, nn.Linear(width, dim)
        self.log_variance = nn.Linear(width, dim)

    def forward(self, x):
        e = self.trunk(x)
        return self.mean(e), self.log_variance(e)


class Decoder(nn.Module):
    def __init__(self, sizes, slope=0.01):
        super().__init__()
        self.mlp = Mlp(sizes, norm=False, slope=slope)

    def forward(self, z):
        return self.mlp(z)


class Noise:
    """What the model draws in each direction."""

    def __init__(self, dim):
        self.noise, self.d_r = "normal", dim


class Vae(nn.Module):
    """Of vectors, with a Gaussian likelihood."""

    def __init__(self, trunk, width, decoder, dim, beta, pairs):
        super().__init__()
        self.encoder, self.decoder = GaussianEncoder(trunk, width, dim), decoder
        self.latent, self.beta, self.pairs = Noise(dim), beta, pairs

    def make_target(self):
        pass

    def forward(self, views, step, noise):
        x = [views["x"], views["x_plus"]] if self.pairs else [views["x"]]
        q = [self.encoder(view) for view in x]
        out = {}
        if self.pairs:
            m1, lv1, m2, lv2, changed = share(*q[0], *q[1])
            q = [(m1, lv1), (m2, lv2)]
            out["changed_latents"] = changed.sum(1).mean()
        terms = []
        for view, (mean, log_variance), eps in zip(x, q, [noise["forward"], noise["backward"]]):
            z = mean + posterior(mean, log_variance).scale * eps
            terms.append((gaussian_loss(self.decoder(z), view).mean(),
                          kl_from_standard(mean, log_variance).sum(1).mean()))
        reconstruction, kl = [sum(column) / len(terms) for column in zip(*terms)]
        return {"loss": reconstruction + self.beta * kl, "reconstruction": reconstruction,
                "kl_prior": kl, **out}
