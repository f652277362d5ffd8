"""Loads the weights of one of our residual networks into torchvision's, strictly, and prints what it
makes of two images, one number a line: `load_in_torchvision.py encoder.safetensors 18 small 32`.
Exits with 77 where torchvision is not installed."""

import sys

try:
    import torch
    import torchvision
except ImportError:
    sys.exit(77)

from tensor_file import read

OURS = {"projector", "mean", "deviation"}  # which torchvision's networks do not have


def model_of(depth, stem):
    model = {18: torchvision.models.resnet18, 50: torchvision.models.resnet50}[depth](weights=None)
    if stem == "small":
        model.conv1 = torch.nn.Conv2d(3, 64, 3, 1, 1, bias=False)
    if stem != "torchvision":
        model.maxpool = torch.nn.Identity()
    model.fc = torch.nn.Identity()
    return model.eval()


if __name__ == "__main__":
    path, depth, stem, side = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    tensors = {name: torch.from_numpy(array) for name, array in read(path).items()}
    model = model_of(depth, stem)
    model.load_state_dict({name: tensor for name, tensor in tensors.items()
                           if name.split(".")[0] not in OURS}, strict=True)
    count = 2 * 3 * side * side
    pixels = (torch.arange(count) * 37 % 256).view(2, 3, side, side) / 255
    shape = (1, -1, 1, 1)
    with torch.no_grad():
        y = model((pixels - tensors["mean"].view(shape)) / tensors["deviation"].view(shape))
    print("\n".join(repr(value) for value in y.flatten().tolist()))
