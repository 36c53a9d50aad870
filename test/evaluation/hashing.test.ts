import { describe, expect, it } from 'vitest';
import { bucketOf, bucketOfNumber, groupState, IdHasher, VARIANT_SEED } from '../../src/evaluation/hashing.ts';
import { murmur3, normalizedHash } from './murmur3.ts';
import { Random } from './random.ts';

it('hashes the published test vectors of murmur3_x86_32', () => {
  expect(murmur3('', 0)).toBe(0);
  expect(murmur3('', 1)).toBe(0x514e28b7);
  expect(murmur3('', 0xffffffff)).toBe(0x81f16f39);
  expect(murmur3('test', 0)).toBe(0xba6bd213);
  expect(murmur3('test', 0x9747b28c)).toBe(0x704b81dc);
  expect(murmur3('Hello, world!', 0)).toBe(0xc0363e43);
  expect(murmur3('The quick brown fox jumps over the lazy dog', 0)).toBe(0x2e4ff723);
});

/** With the encodings of Node: its latin1 is the low byte of each unit. */
describe.each([
  ['utf-8', 'utf8'],
  ['low-bytes', 'latin1'],
] as const)('where %s are hashed', (kind, encoding) => {
  it('hashes the bytes of any text, a lone surrogate of UTF-8 as the replacement character', () => {
    const random = new Random(7);
    const units = ['a', 'é', 'å', '用', '🙂', '\ud83d', '\udc00', '\u07ff', '\u0800', '\uffff', '\u{10ffff}', '\u0000'];
    for (let round = 0; round < 2000; round++) {
      const text = random.list(0, 9, () => random.pick(units)).join('');
      expect(murmur3(text, round, kind)).toBe(murmur3OfBytes(Buffer.from(text, encoding), round));
    }
  });

  it('hashes a long text like a short one, at any position of the first character beyond ASCII', () => {
    const random = new Random(8);
    const units = ['a', 'é', '用', '🙂', '\ud83d', '\udc00', '\uffff', '\u{10ffff}'];
    const groups = ['', 'g', 'gr', 'grp', 'group'].map((group) => groupState(group, VARIANT_SEED, kind));
    for (const length of [63, 64, 127, 128, 129, 1_500, 2_047]) {
      for (let ascii = 0; ascii < 6; ascii++) {
        const text = 'x'.repeat(ascii) + random.list(length, length, () => random.pick(units)).join('');
        expect(murmur3(text, length, kind)).toBe(murmur3OfBytes(Buffer.from(text, encoding), length));
        for (const [index, group] of ['', 'g', 'gr', 'grp', 'group'].entries()) {
          const expected = (murmur3OfBytes(Buffer.from(`${group}:${text}`, encoding), VARIANT_SEED) % 1000) + 1;
          expect(bucketOf(groups[index] as (typeof groups)[number], text, 1000)).toBe(expected);
        }
      }
    }
  });

  it('continues from a prepared group with the same hash as of group and id together', () => {
    for (const group of ['', 'g', 'grp', 'group', 'gröup-🙂']) {
      const state = groupState(group, VARIANT_SEED, kind);
      for (const id of ['', '1', 'user-17', 'å', `${'long '.repeat(40)}å`]) {
        const expected = (murmur3OfBytes(Buffer.from(`${group}:${id}`, encoding), VARIANT_SEED) % 1000) + 1;
        expect(bucketOf(state, id, 1000)).toBe(expected);
        expect(new IdHasher().bucketOf(state, id, 1000)).toBe(expected);
      }
    }
  });
});

it('a prepared id falls into the same bucket as an unprepared one in every group, for any characters', () => {
  const random = new Random(11);
  const units = ['a', 'Z', '7', '-', '.', 'é'];
  const groups = random.list(40, 40, () =>
    groupState(random.list(0, 9, () => random.pick(units)).join(''), VARIANT_SEED, random.pick(['utf-8', 'low-bytes'])),
  );
  const ids = new IdHasher();
  for (let length = 0; length <= 70; length++) {
    for (const alphabet of [units, units.slice(0, 5)]) {
      const id = random.list(length, length, () => random.pick(alphabet)).join('');
      for (const group of groups) expect(ids.bucketOf(group, id, 1000)).toBe(bucketOf(group, id, 1000));
    }
  }
});

it('a number falls into the bucket of its text', () => {
  const group = groupState('group', VARIANT_SEED, 'utf-8');
  const other = groupState('other-group', VARIANT_SEED, 'utf-8');
  for (const id of [0, 1, 9, 10, 11, 99, 100, 1_000, 9_999, 10_000, 10_001, 54_321, 99_999, 100_000]) {
    expect(bucketOfNumber(group, id, 1000)).toBe(bucketOf(group, String(id), 1000));
    expect(bucketOfNumber(other, id, 100)).toBe(bucketOf(other, String(id), 100));
  }
});

it('spreads ids evenly over the buckets', () => {
  const counts = new Array<number>(101).fill(0);
  for (let id = 0; id < 100_000; id++) {
    const bucket = normalizedHash('group', String(id), 100);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  expect(counts[0]).toBe(0);
  for (const count of counts.slice(1)) {
    expect(count).toBeGreaterThan(850);
    expect(count).toBeLessThan(1150);
  }
});

/** The published algorithm, block by block: slow, and independent of the implementation under test. */
function murmur3OfBytes(bytes: Buffer, seed: number): number {
  const wrap = (value: bigint) => value & 0xffffffffn;
  const rotate = (value: bigint, bits: bigint) => wrap((value << bits) | (value >> (32n - bits)));
  const mixed = (word: bigint) => wrap(rotate(wrap(word * 0xcc9e2d51n), 15n) * 0x1b873593n);
  let hash = BigInt(seed);
  const whole = bytes.length - (bytes.length % 4);
  for (let at = 0; at < whole; at += 4) {
    hash = wrap(rotate(hash ^ mixed(BigInt(bytes.readUInt32LE(at))), 13n) * 5n + 0xe6546b64n);
  }
  if (whole < bytes.length) hash ^= mixed(BigInt(bytes.readUIntLE(whole, bytes.length - whole)));
  hash ^= BigInt(bytes.length);
  hash = wrap((hash ^ (hash >> 16n)) * 0x85ebca6bn);
  hash = wrap((hash ^ (hash >> 13n)) * 0xc2b2ae35n);
  return Number(hash ^ (hash >> 16n));
}
