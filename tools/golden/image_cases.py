"""Images in every format that we read, and what Pillow and torchvision make of them.

Writes tests/golden/data/images/* (the files) and tests/golden/data/images.safetensors (pixels).
"""

import struct
import zlib

import numpy as np
from PIL import Image, ImageFilter, ImageOps
from torchvision.transforms import InterpolationMode
from torchvision.transforms import functional as F

from tensor_file import FOLDER, TensorFile

FILES = FOLDER / "images"


def scene(width, height, seed):
    """A smooth picture with some noise and an edge, as a photograph has."""
    draws = np.random.RandomState(seed)
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    planes = []
    for _ in range(3):
        a, b, c = draws.uniform(-3, 3, 3)
        planes.append(np.sin(a * x / width + b * y / height + c))
    picture = 127 + 100 * np.stack(planes, -1) + draws.normal(0, 12, (height, width, 3))
    picture[height // 3 : height // 2, width // 4 : width // 2] = draws.uniform(0, 255, 3)
    return np.clip(picture, 0, 255).astype(np.uint8)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_by_hand(header, rows):
    """What Pillow cannot write: 16-bit colours, interlacing."""
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows, 9))
        + chunk(b"IEND", b"")
    )


def png_of_16_bits(pixels):
    height, width, channels = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 16, {1: 0, 3: 2}[channels], 0, 0, 0)
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in pixels)
    return png_by_hand(header, rows)


def interlaced_png(pixels):
    height, width, _ = pixels.shape
    rows = b""
    for x0, y0, dx, dy in [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]:
        for row in pixels[y0::dy, x0::dx]:
            if row.size:
                rows += b"\0" + row.tobytes()
    return png_by_hand(struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 1), rows)


def over_white(rgba):
    rgba = rgba.astype(np.int64)
    alpha = rgba[..., 3:]
    return ((rgba[..., :3] * alpha + 255 * (255 - alpha) + 127) // 255).astype(np.uint8)


def write_formats(out):
    FILES.mkdir(parents=True, exist_ok=True)
    for old in FILES.iterdir():
        old.unlink()
    pixels = scene(23, 19, 1)
    image = Image.fromarray(pixels)

    def save(name, picture, expected=None, **options):
        picture.save(FILES / name, **options)
        if expected is None:
            expected = np.asarray(ImageOps.exif_transpose(Image.open(FILES / name)).convert("RGB"))
        out.add(f"decoded/{name}", expected)

    save("rgb.jpg", image, quality=85)
    save("rgb-444.jpg", image, quality=95, subsampling=0)
    save("progressive.jpg", image, quality=85, progressive=True)
    save("grey.jpg", image.convert("L"), quality=85)
    save("cmyk.jpg", image.convert("CMYK"), quality=95)
    save("rgb.png", image, expected=pixels)
    save("grey.png", image.convert("L"))
    save("bits.png", image.convert("1"))
    save("palette.png", image.quantize(16))
    save("palette-clear.png", image.quantize(8), transparency=3,
         expected=over_white(clear_colour(image.quantize(8), 3)))
    alpha = np.linspace(0, 255, 23 * 19).reshape(19, 23, 1).astype(np.uint8)
    rgba = np.concatenate([pixels, alpha], -1)
    save("alpha.png", Image.fromarray(rgba), expected=over_white(rgba))
    grey = np.asarray(image.convert("L"))[..., None]
    save("grey-alpha.png", Image.fromarray(np.concatenate([grey, alpha], -1)),
         expected=over_white(np.concatenate([grey] * 3 + [alpha], -1)))
    save("rgb.webp", image, quality=80)
    save("lossless.webp", image, lossless=True, expected=pixels)
    visible = np.concatenate([pixels, np.maximum(alpha, 1)], -1)
    save("alpha.webp", Image.fromarray(visible), lossless=True, expected=over_white(visible))
    deep = np.random.RandomState(2).randint(0, 65536, (7, 9, 3)).astype(np.uint16)
    rounded = np.round(deep / 257).astype(np.uint8)
    (FILES / "deep.png").write_bytes(png_of_16_bits(deep))
    out.add("decoded/deep.png", rounded)
    (FILES / "deep-grey.png").write_bytes(png_of_16_bits(deep[..., :1]))
    out.add("decoded/deep-grey.png", np.repeat(rounded[..., :1], 3, -1))
    (FILES / "interlaced.png").write_bytes(interlaced_png(pixels))
    out.add("decoded/interlaced.png", pixels)
    small = Image.fromarray(scene(9, 6, 3))
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        for name, options in {"jpg": {"quality": 95, "subsampling": 0}, "png": {}, "webp": {"lossless": True}}.items():
            if name == "jpg" or orientation == 6:
                save(f"exif-{orientation}.{name}", small, exif=exif, **options)


def clear_colour(image, number):
    rgb = np.asarray(image.convert("RGB"))
    alpha = np.where(np.asarray(image) == number, 0, 255)[..., None].astype(np.uint8)
    return np.concatenate([rgb, alpha], -1)


def planes(image):
    return np.ascontiguousarray(np.asarray(image).transpose(2, 0, 1))


def write_resizes(out, image):
    filters = {"bicubic": Image.BICUBIC, "bilinear": Image.BILINEAR}
    # name: filter, box (left, top, width, height), size
    for name, (kind, box, size) in {
        "down": ("bicubic", (0, 0, 60, 50), (16, 16)),
        "down-bilinear": ("bilinear", (0, 0, 60, 50), (16, 16)),
        "crop": ("bicubic", (7, 5, 41, 37), (32, 32)),
        "crop-bilinear": ("bilinear", (7, 5, 41, 37), (32, 32)),
        "up": ("bicubic", (20, 10, 9, 8), (40, 33)),
        "corner": ("bicubic", (31, 29, 29, 21), (17, 23)),
        "far": ("bicubic", (0, 0, 60, 50), (3, 2)),
        "line": ("bicubic", (3, 3, 1, 40), (16, 16)),
        "same": ("bicubic", (4, 6, 20, 20), (20, 20)),
    }.items():
        left, top, width, height = box
        cut = image.crop((left, top, left + width, top + height))
        out.add(f"resize/{name}", planes(cut.resize(size, filters[kind])))
        out.metadata[f"resize/{name}"] = " ".join(map(str, (kind == "bicubic",) + box + size)).replace("True", "1").replace("False", "0")
    for name, (shorter, side) in {"centre-same": (16, 16), "centre-inner": (24, 20)}.items():
        seen = F.center_crop(F.resize(image, shorter, InterpolationMode.BICUBIC), side)
        out.add(f"centre/{name}", planes(seen))
        out.metadata[f"centre/{name}"] = f"{shorter} {side}"


def write_operations(out, image):
    small = image.resize((19, 21), Image.BICUBIC)  # no multiple of any vector's length
    out.add("small", planes(small))
    cases = {"grey": [0], "solarise": [128]}
    cases["brightness"] = [0, 0.37, 0.6, 1, 1.2345, 1.4, 3]
    cases["contrast"] = cases["saturation"] = cases["brightness"]
    cases["hue"] = [-0.5, -0.1, -0.0731, -0.001, 0, 0.0517, 0.1, 0.5]
    cases["blur"] = [0, 0.1, 0.5, 0.8164, 1, 1.5, 2, 7.3]
    for operation, amounts in cases.items():
        for number, amount in enumerate(amounts):
            name = f"operation/{operation}/{number}"
            out.add(name, planes(operate(small, operation, amount)))
            out.metadata[name] = repr(float(amount))


def operate(image, operation, amount):
    if operation == "grey":
        return F.rgb_to_grayscale(image, 3)
    if operation == "solarise":
        return ImageOps.solarize(image, 128)
    if operation == "blur":
        return image.filter(ImageFilter.GaussianBlur(amount))
    return getattr(F, f"adjust_{operation}")(image, amount)


def write_all_colours(out):
    """Checksums over all 2^24 colours, as three planes."""
    colours = np.arange(1 << 24, dtype=np.uint32)
    cube = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], -1).astype(np.uint8)
    image = Image.fromarray(cube.reshape(4096, 4096, 3))
    for operation, amount in [("grey", 0), ("hue", 0), ("hue", 0.1), ("hue", -0.083), ("saturation", 1.37)]:
        result = planes(operate(image, operation, amount))
        out.metadata[f"colours/{operation}/{amount}"] = str(zlib.crc32(result.tobytes()))


def write_views(out, image):
    """Whole views with fixed choices: flip, box, order and amounts of the jitter, grey, blur, solarisation."""
    looks = [
        (True, (11, 3, 37, 41), [("hue", 0.07), ("contrast", 1.3), ("brightness", 0.8), ("saturation", 1.15)], False, 1.3, True),
        (False, (0, 0, 60, 50), [], True, None, False),
        (True, (30, 20, 17, 19), [], False, 0.4, False),
        (False, (5, 9, 50, 33), [("brightness", 1.39), ("saturation", 0.81), ("hue", -0.1), ("contrast", 0.61)], True, 2.0, True),
    ]
    for number, (flip, box, jitter, grey, sigma, solarise) in enumerate(looks):
        view = F.hflip(image) if flip else image
        left, top, width, height = box
        if flip:  # boxes are those of the image as it is stored
            left = image.width - left - width
        view = F.resized_crop(view, top, left, height, width, [24, 24], InterpolationMode.BICUBIC)
        for name, amount in jitter:
            view = operate(view, name, amount)
        view = operate(view, "grey", 0) if grey else view
        view = operate(view, "blur", sigma) if sigma is not None else view
        view = operate(view, "solarise", 0) if solarise else view
        out.add(f"view/{number}", planes(view))


def write():
    out = TensorFile("images")
    image = Image.fromarray(scene(60, 50, 4))
    out.add("image", np.asarray(image))
    write_formats(out)
    write_resizes(out, image)
    write_operations(out, image)
    write_all_colours(out)
    write_views(out, image)
    out.save()


if __name__ == "__main__":
    write()
