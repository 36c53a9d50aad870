import { describe, expect, it } from 'vitest';
import {
  ANCESTORS_MAX,
  begin,
  epochAt,
  extend,
  holds,
  type LogPosition,
  overrules,
  positionAt,
  ROOT,
  relate,
  supersedes,
} from '../../src/stores/lineage.ts';

const written = (line: LogPosition, count: number): LogPosition =>
  extend(line, line.seq + count, `${line.epoch}.${line.seq + count}`);

describe('an epoch in which nothing was written', () => {
  it('is kept as an ancestor: writes of the first epoch that the server lost share only the root with the line that continued', () => {
    const first = begin('first', ROOT);
    const lost = written(first, 4);
    const goneOn = written(begin('second', first), 8);
    expect(relate(lost, goneOn)).toEqual({ commonSeq: 0, leftDivergent: 4, rightDivergent: 8 });
    expect(supersedes(goneOn, lost)).toBe(true);
    expect(supersedes(lost, goneOn)).toBe(false);
  });

  it('shows that a later epoch continued without the writes that were lost in it', () => {
    const early = written(begin('first', ROOT), 3);
    const empty = begin('second', early);
    const lost = written(empty, 2);
    const goneOn = begin('third', empty);
    expect(relate(lost, goneOn)).toMatchObject({ commonSeq: 3, leftDivergent: 2, rightDivergent: 0 });
    expect(supersedes(goneOn, lost)).toBe(true);
  });

  it('can be restored from a backup: the restored line overrules what was written later in that epoch', () => {
    const early = written(begin('first', ROOT), 3);
    const backup = begin('second', early);
    const [newest, ...older] = begin('restored', backup).ancestors;
    const restored = {
      ...begin('restored', backup),
      ancestors: newest ? [{ ...newest, isDecided: true as const }, ...older] : [],
    };
    expect(overrules(restored, written(backup, 2))).toBe(true);
    expect(overrules(restored, backup)).toBe(false);
  });

  it('is the first to be dropped from the ancestors: many restarts of a server do not drop epochs with writes', () => {
    const epochs = (at: number) => `epoch-${at}`;
    const early = written(begin('early', ROOT), 3);
    let line = written(begin('late', early), 2);
    for (let at = 0; at < 3 * ANCESTORS_MAX; at++) line = begin(epochs(at), line);
    expect(line.ancestors).toHaveLength(ANCESTORS_MAX);
    expect(line.ancestors[0]?.epoch).toBe(epochs(3 * ANCESTORS_MAX - 2));
    expect(line.ancestors.slice(-2).map(({ epoch }) => epoch)).toEqual(['late', 'early']);
    expect(holds(line, early)).toBe(true);
    // If every epoch has writes, the oldest is dropped.
    for (let at = 0; at < ANCESTORS_MAX; at++) line = written(begin(`full-${at}`, line), 1);
    line = begin('newest', line);
    expect(line.ancestors).toHaveLength(ANCESTORS_MAX);
    expect(line.ancestors.at(-1)?.epoch).toBe('full-0');
    expect(relate(early, line)).toBeNull();
  });
});

describe('two lines of one epoch', () => {
  const line = written(begin('first', ROOT), 3);

  it('have no known common entry if they have different writes under one number, also before later epochs', () => {
    const other = { ...line, writeId: 'another write' };
    expect(relate(line, other)).toBeNull();
    expect(relate(written(begin('second', line), 1), written(begin('third', other), 2))).toBeNull();
    expect(relate(line, line)).toEqual({ commonSeq: 3, leftDivergent: 0, rightDivergent: 0 });
  });
});

describe('a position on a line', () => {
  const first = written(begin('first', ROOT), 3);
  const empty = begin('empty', first);
  const line = written(begin('newest', empty), 2);

  it('is in the epoch in which its entry was committed, from the first entry of the line to the last', () => {
    const epochs = ['first', 'first', 'first', 'newest', 'newest'];
    expect(epochs.map((_, at) => epochAt(line, at + 1))).toEqual(epochs);
    expect(epochs.map((_, at) => positionAt(line, at + 1, '').epoch)).toEqual(epochs);
    // A line of one epoch has no ancestor that could answer.
    expect([1, 2, 3].map((seq) => epochAt(first, seq))).toEqual(['first', 'first', 'first']);
  });

  it('has the path to that epoch, and no path before the first entry', () => {
    expect(positionAt(line, 5, 'five')).toEqual({ ...line, writeId: 'five' });
    expect(positionAt(line, 3, 'three')).toEqual({ epoch: 'first', seq: 3, writeId: 'three', ancestors: [] });
    expect(positionAt(line, 0, '')).toBe(ROOT);
  });
});
