import { crc32, deflateSync } from 'node:zlib';

/** Pixels as RGBA, row by row. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

const COLORS_MAX = 256;

/** Encodes pixels as a PNG with a palette. Similar colours become one; colours that are rare and different stay. Transparency is ignored. */
export function paletteImage({ width, height, data }: Pixels): Buffer {
  const colors = colorsOf(data);
  const palette = [...colors].sort(([, a], [, b]) => b - a).map(([color]) => color);
  const kept = keptOf(palette);
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

/** The colours that differ from all more frequent ones by more than a limit, which is as low as the size of the palette allows. */
function keptOf(colors: readonly number[]): number[] {
  for (let limit = 4; ; limit *= 2) {
    const kept: number[] = [];
    for (const color of colors) {
      if (kept.length <= COLORS_MAX && kept.every((other) => distance(color, other) > limit)) kept.push(color);
    }
    if (kept.length <= COLORS_MAX) return kept;
  }
}

function nearest(color: number, kept: readonly number[]): number {
  let best = 0;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const [index, other] of kept.entries()) {
    const found = distance(color, other);
    if (found < bestDistance) [best, bestDistance] = [index, found];
  }
  return best;
}

/** The squared distance of two colours. */
function distance(one: number, other: number): number {
  let sum = 0;
  for (const shift of [16, 8, 0]) sum += (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2;
  return sum;
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
