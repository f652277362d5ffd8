"""Writes tests/golden/data anew; see README.md. Run by `make golden`."""

import torch

import dci_cases
import image_cases
import optimizer_cases
import part_cases
import resnet_cases
import run_cases
import vae_cases
import video_cases
from tensor_file import FOLDER

LARGEST_FILE, LARGEST_TOTAL = 150_000, 1_400_000

if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    for old in FOLDER.glob("*.safetensors"):
        old.unlink()
    part_cases.write()
    optimizer_cases.write()
    video_cases.write()
    image_cases.write()
    dci_cases.write()
    resnet_cases.write()
    vae_cases.write()
    run_cases.write()
    sizes = [path.stat().st_size for path in FOLDER.glob("*.safetensors")]
    print(f"{len(sizes)} files, {sum(sizes)} bytes")
    assert max(sizes) <= LARGEST_FILE and sum(sizes) <= LARGEST_TOTAL
