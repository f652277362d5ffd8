"""The safetensors format by hand: 8 bytes of header length, a JSON header, the data."""

import json
import pathlib
import struct

import numpy as np
import torch

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "data"
DTYPES = {"float32": "F32", "float64": "F64", "uint8": "U8"}


def read(path):
    """The tensors of a file by name, as NumPy arrays."""
    data = pathlib.Path(path).read_bytes()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    types = {"F32": "<f4", "F64": "<f8", "I64": "<i8"}
    arrays = {}
    for name, of in header.items():
        begin, end = of["data_offsets"]
        flat = np.frombuffer(data[start + begin:start + end], dtype=types[of["dtype"]])
        arrays[name] = flat.reshape(of["shape"]).copy()
    return arrays


class TensorFile:
    def __init__(self, name):
        self.path = FOLDER / f"{name}.safetensors"
        self.tensors = {}
        self.metadata = {}

    def add(self, name, value):
        assert name not in self.tensors, name
        array = value.detach().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)
        self.tensors[name] = np.array(array, order="C")  # a copy: training goes on

    def add_all(self, prefix, named):
        for name, value in named:
            self.add(f"{prefix}/{name}", value)

    def add_gradients(self, case, named):
        """A leaf that the loss does not touch has none."""
        for name, leaf in named:
            if leaf.grad is not None:
                self.add(f"{case}/gradient/{name}", leaf.grad)

    def save(self):
        header, data = {"__metadata__": self.metadata}, b""
        for name, array in sorted(self.tensors.items()):
            begin = len(data)
            data += array.astype(array.dtype.newbyteorder("<")).tobytes()
            header[name] = {
                "dtype": DTYPES[array.dtype.name],
                "shape": list(array.shape),
                "data_offsets": [begin, len(data)],
            }
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(struct.pack("<Q", len(text)) + text + data)
        print(f"{self.path.name}: {self.path.stat().st_size} bytes")
