import fc from 'fast-check';
import { Packr } from 'msgpackr';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../src/base/yield-control.ts';
import {
  type Change,
  COMMIT_FORMAT,
  type Commit,
  decodeCommit,
  decodeInSteps,
  encodeCommit,
  encodeInSteps,
} from '../../src/state/commit.ts';
import { DamagedRecordError, UnknownFormatError } from '../../src/state/stored-schema.ts';
import { history } from '../support/random-state.ts';

const packr = new Packr({ useRecords: false });

/** A commit that creates `count` flags, each with a description of `length` characters. */
function commitOf(count: number, length = 10): Commit {
  const changes = Array.from({ length: count }, (_, index): Change => {
    const entity = { name: `type-${index}`, description: 'é'.repeat(length), icon: null, color: null };
    return index % 7 === 6
      ? { collection: 'tagTypes', key: entity.name }
      : { collection: 'tagTypes', key: entity.name, entity };
  });
  const by = { id: 1, name: 'somebody' };
  const at = '2026-01-01T00:00:00.000Z';
  return { seq: 7, writeId: 'w', at, by, changes, touched: ['development/p'], events: { firstId: 70_000, count: 3 } };
}

describe('a commit', () => {
  it.each([0, 1, 15, 16, 17, 31, 32, 33, 1_000, 70_000])(
    'of %i changes is the same once encoded and decoded',
    (count) => {
      const commit = commitOf(count);
      expect(decodeCommit(encodeCommit(commit))).toEqual(commit);
    },
  );

  it.each([1, 15, 16, 17])('of %i large changes is the same once encoded and decoded', (count) => {
    const commit = commitOf(count, 40_000);
    expect(decodeCommit(encodeCommit(commit))).toEqual(commit);
  });

  it('with any changes is the same once encoded and decoded, and its record is one MessagePack list', () => {
    fc.assert(
      fc.property(history, (commits) => {
        const commit = { ...commitOf(0), changes: commits.flatMap(({ changes }) => changes) };
        const bytes = encodeCommit(commit);
        expect(decodeCommit(bytes)).toEqual(commit);
        expect(packr.unpack(bytes).slice(0, 3)).toEqual([COMMIT_FORMAT, 7, 'w']);
        expect(packr.unpack(bytes)).toHaveLength(10);
      }),
      { numRuns: 60 },
    );
  });

  it('is encoded at once when it has one change, else in one step per change: a single change may have a megabyte', () => {
    const steps = (commit: Commit) => [...encodeInSteps(commit)].length;
    expect(steps(commitOf(1))).toBe(0);
    expect(steps(commitOf(2))).toBeGreaterThanOrEqual(2);
    expect(steps(commitOf(10_000))).toBeGreaterThanOrEqual(10_000);
  });

  it('is not encoded further once it exceeds the maximum number of bytes', () => {
    const commit = commitOf(1_000);
    const size = encodeCommit(commit).length;
    expect(atOnce(encodeInSteps(commit, size))).toHaveLength(size);
    const steps = encodeInSteps(commit, size / 10);
    let count = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) count++;
    expect(step.value).toBeUndefined();
    expect(count).toBeLessThan(200);
  });

  it('is decoded in steps of few bytes, even when it has few changes', () => {
    const description = 'a'.repeat(100_000);
    const changes = commitOf(10).changes.map((change) => ({ ...change, entity: { ...change.entity, description } }));
    const commit = { ...commitOf(0), changes } as Commit;
    const bytes = encodeCommit(commit);
    expect(decodeCommit(bytes)).toEqual(commit);
    expect([...decodeInSteps(bytes)].length).toBeGreaterThanOrEqual(10);
  });

  it('is refused when its record is truncated or has another format', () => {
    const bytes = encodeCommit(commitOf(1_000));
    for (const length of [1, 5, 20, 1_000, bytes.length - 1]) {
      expect(() => decodeCommit(bytes.subarray(0, length)), `${length} bytes`).toThrow(DamagedRecordError);
    }
    const other = Uint8Array.from(bytes);
    other[1] = COMMIT_FORMAT + 1;
    expect(() => decodeCommit(other)).toThrow(UnknownFormatError);
    expect(() => decodeCommit(packr.pack({ format: COMMIT_FORMAT }))).toThrow(UnknownFormatError);
    expect(() => decodeCommit(packr.pack([COMMIT_FORMAT, 7, 'w']))).toThrow(DamagedRecordError);
  });

  it('is refused when it has an unknown collection or schema, whatever else it changes', () => {
    const whole = commitOf(3);
    for (const count of [1, 2_000]) {
      const { changes } = commitOf(count);
      const record = packr.unpack(encodeCommit({ ...whole, changes }));
      const withSchemas = (schemas: unknown) => packr.pack([...record.slice(0, 8), schemas, record[9]]);
      expect(decodeCommit(withSchemas([['tagTypes', 1]]))).toEqual({ ...whole, changes });
      expect(() =>
        decodeCommit(
          withSchemas([
            ['tagTypes', 1],
            ['novelties', 1],
          ]),
        ),
      ).toThrow(
        'log record has the collection "novelties", which this Burgee does not know. Start a version that reads it',
      );
      expect(() => decodeCommit(withSchemas([['tagTypes', 2]]))).toThrow(
        'log record has "tagTypes" of schema 2; this Burgee reads up to schema 1. Start a version that reads it',
      );
      for (const name of ['__proto__', 'toString', 7, null]) {
        expect(() => decodeCommit(withSchemas([[name, 1]])), String(name)).toThrow(UnknownFormatError);
      }
      for (const schema of [0, -1, 1.5, '1', null]) {
        expect(() => decodeCommit(withSchemas([['tagTypes', schema]])), String(schema)).toThrow(UnknownFormatError);
      }
      expect(() => decodeCommit(withSchemas([]))).toThrow(DamagedRecordError);
    }
  });

  it('is refused with a clear message when it has an older format', () => {
    expect(() => decodeCommit(packr.pack([1, 7, 'w', '', {}, [], 1, 0, []]))).toThrow(
      new UnknownFormatError(
        'log record has format 1; this Burgee reads format 2. Start a version that reads it (docs/operate/upgrades.md)',
      ),
    );
  });
});
