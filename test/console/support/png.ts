import { crc32, deflateSync } from 'node:zlib';

/** Pixels as RGBA, row by row. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

const COLORS_MAX = 256;

/** Encodes pixels as a PNG with a palette of the most frequent colours. Other colours become the nearest of them; transparency is ignored. */
export function paletteImage({ width, height, data }: Pixels): Buffer {
  const colors = colorsOf(data);
  const palette = [...colors].sort(([, a], [, b]) => b - a || 0).map(([color]) => color);
  const kept = palette.slice(0, COLORS_MAX);
  const indexOf = new Map(palette.map((color) => [color, nearest(color, kept)]));
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indexOf.get(colorAt(data, y * width + x)) ?? 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const entries = Buffer.from(kept.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('PLTE', entries),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function colorAt(data: Uint8Array, pixel: number): number {
  const at = pixel * 4;
  return ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0);
}

function colorsOf(data: Uint8Array): Map<number, number> {
  const colors = new Map<number, number>();
  for (let pixel = 0; pixel < data.length / 4; pixel++) {
    const color = colorAt(data, pixel);
    colors.set(color, (colors.get(color) ?? 0) + 1);
  }
  return colors;
}

function nearest(color: number, kept: readonly number[]): number {
  let best = 0;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const [index, other] of kept.entries()) {
    const [red, green, blue] = [16, 8, 0].map((shift) => ((color >> shift) & 255) - ((other >> shift) & 255)) as [
      number,
      number,
      number,
    ];
    const distance = red * red + green * green + blue * blue;
    if (distance < bestDistance) [best, bestDistance] = [index, distance];
  }
  return best;
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
