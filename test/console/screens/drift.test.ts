import { describe, expect, it } from 'vitest';
import { type DriftRow, rowsAfter, shownOf } from '../../../console/src/screens/drift/drift-index.ts';

const ENVIRONMENTS = ['development', 'production'];
/** Names that are sorted within a block, but not over all of them. */
const namesOf = (block: number, count: number) =>
  Array.from({ length: count }, (_, index) => `flag-${String(index).padStart(5, '0')}-${block}`);

/** Every second flag is on in development only. */
const blockOf = (project: string, names: readonly string[], marks = '0') => ({
  names: names.join(' '),
  shared: '0'.repeat(names.length),
  projects: [[project, names.length]],
  marks: marks.repeat(names.length),
  states: [names.map((_, index) => String(index % 2)).join(''), '0'.repeat(names.length)],
  fingerprints: [names.map(() => 'a'), names.map(() => 'a')],
});
const answerOf = (isWhole: boolean, blocks: readonly ReturnType<typeof blockOf>[], removed: string[] = []) => ({
  isWhole,
  environments: ENVIRONMENTS,
  removed,
  blocks,
});

/** Runs to the end, and counts the pauses that were possible. */
function counted<T>(steps: Generator<void, T, void>): { readonly value: T; readonly pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const step = steps.next();
    if (step.done) return { value: step.value, pauses };
  }
}

const atOnce = <T>(steps: Generator<void, T, void>): T => counted(steps).value;

const names = (rows: readonly DriftRow[]) => rows.map(({ name }) => name);
const whole = answerOf(true, [blockOf('shop', namesOf(1, 3_000)), blockOf('bank', namesOf(0, 2_500))]);

describe('the rows of the drift matrix', () => {
  it('are sorted by name, in steps', () => {
    const { value, pauses } = counted(rowsAfter([], whole));
    expect(names(value)).toEqual([...namesOf(1, 3_000), ...namesOf(0, 2_500)].sort());
    expect(value.find(({ name }) => name === 'flag-00001-0')).toEqual({
      name: 'flag-00001-0',
      project: 'bank',
      environments: new Map([
        ['development', { isOn: true, fingerprint: 'a' }],
        ['production', { isOn: false, fingerprint: 'a' }],
      ]),
    });
    // At least one for 128 rows, and those of the order.
    expect(pauses).toBeGreaterThan(5_500 / 128 + 5);
    expect(counted(rowsAfter([], answerOf(true, []))).value).toEqual([]);
  });

  it('change only where the answer has a change', () => {
    const before = atOnce(rowsAfter([], whole));
    const changes = answerOf(
      false,
      [blockOf('shop', ['flag-00002-1', 'zebra']), blockOf('bank', ['flag-00003-0'], '2')],
      ['flag-00004-0', 'flag-00002-1'],
    );
    const after = atOnce(rowsAfter(before, changes));
    const gone = new Set(['flag-00003-0', 'flag-00004-0']);
    expect(names(after)).toEqual([...names(before).filter((name) => !gone.has(name)), 'zebra']);
    const same = new Set(before);
    expect(names(after.filter((row) => !same.has(row)))).toEqual(['flag-00002-1', 'zebra']);
  });

  it('are filtered by project, text and kind, in steps', () => {
    const rows = atOnce(rowsAfter([], whole));
    const filter = { project: '', text: '', environments: ['production'], base: 'development', show: 'all' } as const;
    const { value, pauses } = counted(shownOf(rows, filter));
    expect(value).toHaveLength(5_500);
    expect(pauses).toBeGreaterThanOrEqual(5_500 / 128);
    expect(atOnce(shownOf(rows, { ...filter, show: 'different' }))).toHaveLength(2_750);
    expect(atOnce(shownOf(rows, { ...filter, show: 'rules' }))).toEqual([]);
    expect(names(atOnce(shownOf(rows, { ...filter, project: 'bank', text: ' 00007 Flag' })))).toEqual(['flag-00007-0']);
  });
});
