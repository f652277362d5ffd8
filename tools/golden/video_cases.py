"""The video encoder alone, in both modes."""

import copy

import torch

import draws
import reference as ref
from philox import Stream
from run_cases import SEED, add_parameter_gradients
from tensor_file import TensorFile

CHANNELS, PROJECTOR, OUT, CLIPS = [2, 3, 4, 4, 5], [6], 4, 4
# Pictures of one channel whose last convolution leaves one pixel, and of odd sizes that leave more.
OBSERVATIONS = {"grey": (1, 3, 8, 8), "two_channels": (2, 3, 9, 6)}


def write():
    for name, observation in OBSERVATIONS.items():
        file = TensorFile(f"video_{name}")
        file.metadata = {
            "config": f'encoder.kind = "video_cnn"\nencoder.channels = {CHANNELS}\n'
                      f"encoder.projector = {PROJECTOR}\nencoder.out = {OUT}\n",
            "observation": " ".join(map(str, observation)), "change": "0", "rows": str(CLIPS),
            "seed": str(SEED)}
        original = ref.VideoCnn(observation[0], observation[1], CHANNELS, PROJECTOR, OUT)
        draws.disturb(original, SEED)
        x = draws.views(observation, 0, CLIPS, SEED, 1)["x"].requires_grad_()
        cotangent = lambda of, like: torch.from_numpy(
            Stream(SEED, "cotangent").named(of).normal(*like.shape)).double()
        for case in ["train", "eval"]:
            module = copy.deepcopy(original)
            module.train(case == "train")
            x.grad = None
            representation = module.represent(x)
            embedding = module.project(representation)
            ((representation * cotangent("representation", representation)).sum()
             + (embedding * cotangent("embedding", embedding)).sum()).backward()
            file.add(f"{case}/value/representation", representation)
            file.add(f"{case}/value/embedding", embedding)
            file.add_gradients(case, [("input/x", x)])
            add_parameter_gradients(file, case, module)
            file.add_all(f"{case}/after", draws.buffers(module))
        file.save()
