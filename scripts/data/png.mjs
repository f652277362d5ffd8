// PNG files of 8-bit RGB, with nothing but Node's zlib. An image is {width, height, rgb}, where
// `rgb` has three bytes for each pixel, row by row.
import {deflateSync, inflateSync} from 'node:zlib';

import {UserError} from './files.mjs';

const kSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const kLargestSide = 16384;

const kCrcTable = Int32Array.from({length: 256}, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; ++bit) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) crc = kCrcTable[(crc ^ byte) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

function chunk(type, content) {
  const out = Buffer.alloc(content.length + 12);
  out.writeUInt32BE(content.length, 0);
  out.write(type, 4, 'latin1');
  content.copy(out, 8);
  out.writeUInt32BE(crc32(out.subarray(4, 8 + content.length)), 8 + content.length);
  return out;
}

/** The filter of type Paeth predicts a byte by whichever of left, up and corner is nearest. */
function paeth(left, up, corner) {
  const estimate = left + up - corner;
  const byLeft = Math.abs(estimate - left);
  const byUp = Math.abs(estimate - up);
  const byCorner = Math.abs(estimate - corner);
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}

export function encodePng({width, height, rgb}) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);  // 8 bits, RGB, deflate, the usual filters, not interlaced
  const stride = width * 3;
  const rows = Buffer.alloc(height * (stride + 1));
  for (let y = 0; y < height; ++y) {
    const to = y * (stride + 1);
    rows[to] = 4;
    for (let i = 0; i < stride; ++i) {
      const at = y * stride + i;
      const left = i >= 3 ? rgb[at - 3] : 0;
      const up = y > 0 ? rgb[at - stride] : 0;
      const corner = i >= 3 && y > 0 ? rgb[at - stride - 3] : 0;
      rows[to + 1 + i] = rgb[at] - paeth(left, up, corner);
    }
  }
  const parts =
      [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([kSignature, ...parts]);
}

/** Width and height from a file's first 24 bytes; null if it does not begin like a PNG. */
export function pngSize(bytes) {
  if (bytes.length < 24 || !bytes.subarray(0, 8).equals(kSignature)) return null;
  return {width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20)};
}

/**
 * Reads 8-bit RGB that is not interlaced, which is all that encodePng and the CIFAR sheets need.
 */
export function decodePng(bytes, where) {
  const size = pngSize(bytes);
  const kind = size && [...bytes.subarray(24, 29)].join(' ');
  if (!size || kind !== '8 2 0 0 0' || size.width > kLargestSide || size.height > kLargestSide) {
    throw new UserError(`[${where}] expected a PNG file of 8-bit RGB, got another kind of file`);
  }
  const packed = [];
  for (let at = 8; at + 8 <= bytes.length;) {
    const end = at + 8 + bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      packed.push(bytes.subarray(at + 8, end));
    at = end + 4;
  }
  const stride = size.width * 3;
  const expected = size.height * (stride + 1);
  const rows = inflateSync(Buffer.concat(packed), {maxOutputLength: expected});
  if (rows.length !== expected) {
    throw new UserError(`[${where}] expected ${expected} bytes of pixels, got ${rows.length}`);
  }
  return {...size, rgb: unfilter(rows, size.height, stride)};
}

/** The value that a filter of the PNG format predicts for a byte. */
function predicted(filter, left, up, corner) {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4:
      return paeth(left, up, corner);
    default:
      return 0;
  }
}

function unfilter(rows, height, stride) {
  const rgb = Buffer.alloc(height * stride);
  for (let y = 0; y < height; ++y) {
    const from = y * (stride + 1);
    for (let i = 0; i < stride; ++i) {
      const at = y * stride + i;
      const left = i >= 3 ? rgb[at - 3] : 0;
      const up = y > 0 ? rgb[at - stride] : 0;
      const corner = i >= 3 && y > 0 ? rgb[at - stride - 3] : 0;
      rgb[at] = rows[from + 1 + i] + predicted(rows[from], left, up, corner);
    }
  }
  return rgb;
}
