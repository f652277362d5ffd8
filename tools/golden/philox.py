"""The project's random numbers, written again: Philox4x32-10 (Salmon et al., SC 2011), keys by
FNV-1a of (seed, purpose), counters of (position, sample, step)."""

import math
import struct

import numpy as np

MASK32, MASK64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF


def philox(counter, key):
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & MASK32, (p0 >> 32) ^ c3 ^ k1, p0 & MASK32
        k0, k1 = (k0 + 0x9E3779B9) & MASK32, (k1 + 0xBB67AE85) & MASK32
    return c0, c1, c2, c3


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & MASK64
    return value


class Stream:
    def __init__(self, seed, purpose, step=0):
        self.key, self.step = fnv1a(struct.pack("<Q", seed) + purpose.encode()), step

    def named(self, purpose):
        out = Stream(0, "", self.step)
        out.key = fnv1a(struct.pack("<Q", self.key) + purpose.encode())
        return out

    def bits(self, sample, count):
        key = (self.key & MASK32, self.key >> 32)
        words = []
        for position in range((count + 3) // 4):
            words += philox((position, sample, self.step & MASK32, self.step >> 32), key)
        return words[:count]

    def uniforms(self, sample, count):
        return [(word + 0.5) / 2**32 for word in self.bits(sample, count)]

    def uniform(self, rows, columns):
        """float32, below 1."""
        draws = [self.uniforms(row, columns) for row in range(rows)]
        return np.minimum(np.array(draws).astype(np.float32), np.float32(1 - 2**-24))

    def normal(self, rows, columns):
        """float32; Box and Muller, cosine first."""
        out = np.empty((rows, columns), np.float32)
        for row in range(rows):
            u = self.uniforms(row, columns + columns % 2)
            for j in range(columns):
                radius = math.sqrt(-2 * math.log(u[j - j % 2]))
                angle = 2 * math.pi * u[j - j % 2 + 1]
                out[row, j] = radius * (math.sin(angle) if j % 2 else math.cos(angle))
        return out
