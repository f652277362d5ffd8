"""beta-VAE and AdaGVAE in plain PyTorch."""

import math

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


class MirroredBlock(nn.Module):
    """relu(body(x) + x), or with an upsampling to `size` in the body and the shortcut."""

    def __init__(self, width, out, size=None):
        super().__init__()
        convolve = lambda after: nn.Conv2d(width, after, 3, 1, 1, bias=False)
        self.conv1, self.bn1 = convolve(width), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = convolve(out), nn.BatchNorm2d(out)
        nn.init.zeros_(self.bn2.weight)
        self.size = size
        if size is not None:
            self.upsample = nn.Sequential(convolve(out), nn.BatchNorm2d(out))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        if self.size is None:
            return F.relu(self.bn2(self.conv2(y)) + x)
        return F.relu(self.bn2(self.conv2(doubled(y, self.size)))
                      + self.upsample(doubled(x, self.size)))


def doubled(x, size):
    return F.interpolate(x, scale_factor=2, mode="nearest")[:, :, :size[0], :size[1]]


def halved(size):
    return [(side + 1) // 2 for side in size]


class MirroredResNet(nn.Module):
    """From a vector to an image, with the stages of a ResNet-18 in reverse order. As there, the
    last gain of each block begins with 0."""

    def __init__(self, stem, image, width, dim):
        super().__init__()
        self.stem = []
        size = list(image[1:])
        for _ in range({"small": 0, "large": 1, "torchvision": 2}[stem]):
            self.stem.append(size)
            size = halved(size)
        sizes = [size]
        for _ in range(3):
            sizes.append(halved(sizes[-1]))
        self.features = (8 * width, *sizes[3])
        self.linear = nn.Linear(dim, math.prod(self.features))
        for stage in [4, 3, 2, 1]:
            wide = width * 2 ** (stage - 1)
            last = [wide // 2, sizes[stage - 2]] if stage > 1 else [wide]
            self.add_module(f"layer{stage}", nn.Sequential(MirroredBlock(wide, wide),
                                                           MirroredBlock(wide, *last)))
        self.image = nn.Conv2d(width, image[0], 3, 1, 1, bias=False)

    def forward(self, z):
        x = self.linear(z).view(-1, *self.features)
        for stage in [4, 3, 2, 1]:
            x = getattr(self, f"layer{stage}")(x)
        for size in reversed(self.stem):
            x = doubled(x, size)
        return self.image(x)


class Noise:
    """What the model draws in each direction."""

    def __init__(self, dim):
        self.noise, self.d_r = "normal", dim


class Vae(nn.Module):
    target = None

    def __init__(self, trunk, width, decoder, dim, beta, pairs, loss_of=gaussian_loss):
        super().__init__()
        self.loss_of = loss_of
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
            terms.append((self.loss_of(self.decoder(z), view).mean(),
                          kl_from_standard(mean, log_variance).sum(1).mean()))
        reconstruction, kl = [sum(column) / len(terms) for column in zip(*terms)]
        return {"loss": reconstruction + self.beta * kl, "reconstruction": reconstruction,
                "kl_prior": kl, **out}
