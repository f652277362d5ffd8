"""data_torchvision.py FOLDER REPEATS: decodes the JPEG files of a folder with Pillow and takes two
strong 64-pixel views of each with torchvision, on one thread, as a PyTorch loader would. Prints the
median processor time for one image, in milliseconds, as JSON. Run by `adassl bench data`."""

import io
import json
import pathlib
import random
import statistics
import sys
import time

import torch
from PIL import Image, ImageFilter, ImageOps
from torchvision import transforms as T


def blur(image):
    return image.filter(ImageFilter.GaussianBlur(random.uniform(0.1, 2.0)))


def solarise(image):
    return ImageOps.solarize(image, 128)


STRONG = T.Compose([
    T.RandomHorizontalFlip(),
    T.RandomResizedCrop(64, interpolation=T.InterpolationMode.BICUBIC),
    T.RandomApply([T.ColorJitter(0.4, 0.4, 0.2, 0.1)], p=0.8),
    T.RandomGrayscale(0.2),
    T.RandomApply([T.Lambda(blur)], p=0.5),
    T.RandomApply([T.Lambda(solarise)], p=0.2),
    T.PILToTensor(),  # bytes, as ours
])


def median_ms(repeats, count, work):
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        work()
        times.append((time.thread_time() - start) * 1e3 / count)
    return statistics.median(times)


def main(folder, repeats):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    files = [path.read_bytes() for path in sorted(pathlib.Path(folder).glob("*.jpg"))]
    images = [Image.open(io.BytesIO(file)).convert("RGB") for file in files]
    rounds = max(1, 64 // len(files))
    times = {
        "decode_ms": median_ms(repeats, len(files), lambda: [Image.open(io.BytesIO(f)).convert("RGB") for f in files]),
        "views_ms": median_ms(
            repeats, len(files) * rounds, lambda: [(STRONG(i), STRONG(i)) for _ in range(rounds) for i in images]
        ),
    }
    print(json.dumps(times))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
