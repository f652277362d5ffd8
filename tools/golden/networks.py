"""Multilayer perceptrons and encoders, with the names of parameters that the C++ modules have."""

import torch
import torch.nn.functional as F
from torch import nn
from torchvision.models import resnet


class Mlp(nn.Module):
    """Linear -> [BatchNorm ->] LeakyReLU for each hidden layer, then a bare Linear."""

    def __init__(self, sizes, norm, slope, out_bias=True):
        super().__init__()
        self.depth, self.norm, self.slope = len(sizes) - 2, norm, slope
        for i in range(self.depth):
            self.add_module(f"linear{i}", nn.Linear(sizes[i], sizes[i + 1], bias=not norm))
            if norm:
                self.add_module(f"norm{i}", nn.BatchNorm1d(sizes[i + 1]))
        self.add_module(f"linear{self.depth}", nn.Linear(sizes[-2], sizes[-1], bias=out_bias))

    def forward(self, x):
        for i in range(self.depth):
            x = getattr(self, f"linear{i}")(x)
            if self.norm:
                x = getattr(self, f"norm{i}")(x)
            x = F.leaky_relu(x, self.slope)
        return getattr(self, f"linear{self.depth}")(x)


# ---- encoders


class MlpEncoder(nn.Module):
    def __init__(self, sizes, slope=0.01):
        super().__init__()
        self.mlp = Mlp(sizes, norm=False, slope=slope)

    def forward(self, x):
        return self.mlp(x)


class ConvolutionLayer(nn.Conv3d):
    """Convolution over space (1, 3, 3) or over time (3, 1, 1) -> BatchNorm -> ReLU."""

    def __init__(self, channels_in, channels_out, over):
        kernel, stride, padding = {
            "space": ((1, 3, 3), (1, 2, 2), (0, 1, 1)),
            "time": ((3, 1, 1), (1, 1, 1), (1, 0, 0)),
        }[over]
        super().__init__(channels_in, channels_out, kernel, stride, padding, bias=False)
        self.norm = nn.BatchNorm3d(channels_out)

    def forward(self, x):
        return F.relu(self.norm(super().forward(x)))


class VideoCnn(nn.Module):
    """Clips [B, C, T, H, W] -> representation [B, C' T] -> embedding [B, out]."""

    def __init__(self, channels_in, frames, channels, projector, out):
        super().__init__()
        sizes = [channels_in, *channels]
        for i, over in enumerate(["space", "space", "time", "time", "space"]):
            self.add_module(f"layer{i}", ConvolutionLayer(sizes[i], sizes[i + 1], over))
        self.projector = Mlp([channels[-1] * frames, *projector, out], norm=True, slope=0.0,
                             out_bias=False)
        self.norm = nn.BatchNorm1d(out)

    def represent(self, x):
        for i in range(5):
            x = getattr(self, f"layer{i}")(x)
        return x.mean(dim=(3, 4)).flatten(1)

    def project(self, representation):
        return self.norm(self.projector(representation))

    def forward(self, x):
        return self.project(self.represent(x))


BLOCKS = {18: (resnet.BasicBlock, [2, 2, 2, 2]), 50: (resnet.Bottleneck, [3, 4, 6, 3])}


class NarrowResNet(resnet.ResNet):
    """torchvision's own, whose four stages begin with `width` channels instead of 64."""

    def __init__(self, depth, stem, width, **options):
        self.first_width = width
        super().__init__(*BLOCKS[depth], **options)
        if stem == "small":
            self.conv1 = nn.Conv2d(3, width, 3, 1, 1, bias=False)
        else:
            self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        if stem != "torchvision":
            self.maxpool = nn.Identity()
        self.fc = nn.Identity()

    def _make_layer(self, block, planes, *arguments, **options):
        if planes == 64:
            self.inplanes = self.first_width
        return super()._make_layer(block, planes * self.first_width // 64, *arguments, **options)


class ResNetEncoder(NarrowResNet):
    """Images [B, 3, H, W] -> normalised -> ResNet-18 -> projector, where it has one."""

    def __init__(self, stem, width, mean, deviation, projector=None):
        super().__init__(18, stem, width, zero_init_residual=True)
        float32 = lambda values: torch.tensor(values, dtype=torch.float32).double()  # as there
        self.register_buffer("mean", float32(mean))
        self.register_buffer("deviation", float32(deviation))
        self.projector = projector or nn.Identity()

    def forward(self, x):
        each = lambda of: of[None, :, None, None]
        return self.projector(super().forward((x - each(self.mean)) / each(self.deviation)))
