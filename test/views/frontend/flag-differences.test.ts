import { describe, expect, it } from 'vitest';
import { workAtOnce } from '../../../src/base/work.ts';
import { flagDifferences } from '../../../src/views/frontend/flag-differences.ts';
import { FlagsInMemory, offFlag, onFlag } from './flags-in-memory.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00.000Z');
const AFTER_NOON = { contextName: 'currentTime', operator: 'DATE_AFTER', value: '2026-03-01T12:00:00.000Z' };

const childOf = (feature: string) => ({ dependencies: [{ feature, enabled: true, variants: [] }] });

async function namesAt(flags: FlagsInMemory, passedMs: number, change = () => {}): Promise<string[] | undefined> {
  const before = { snapshot: await flags.snapshot(), nowMs: NOW_MS };
  change();
  const after = { snapshot: await flags.snapshot(), nowMs: NOW_MS + passedMs };
  const found = workAtOnce(flagDifferences(before, after));
  return found ? [...found.keys()].sort() : undefined;
}

describe('the flags that may differ between two moments', () => {
  it('include those with a date that has passed, and those whose parent has one', async () => {
    const flags = new FlagsInMemory();
    flags.put(
      onFlag('plain'),
      onFlag('dated', [AFTER_NOON]),
      onFlag('child', [], childOf('dated')),
      onFlag('other', [], childOf('plain')),
      onFlag('orphan', [], childOf('missing')),
    );
    expect(await namesAt(flags, 0)).toEqual([]);
    expect(await namesAt(flags, 1)).toEqual(['child', 'dated']);
    // One that has changed, too, is not compared again.
    expect(await namesAt(flags, 1, () => flags.put(onFlag('dated', [AFTER_NOON], { impressionData: true })))).toEqual([
      'child',
      'dated',
    ]);
  });

  it('include those whose parent has changed, in other chunks too, and no other children', async () => {
    const flags = new FlagsInMemory('second');
    const inSecond = { project: 'second' };
    flags.put(
      onFlag('parent'),
      onFlag('still', [], inSecond),
      onFlag('child', [], { ...inSecond, ...childOf('parent') }),
      onFlag('other', [], { ...inSecond, ...childOf('still') }),
    );
    expect(await namesAt(flags, 0, () => flags.put(offFlag('parent')))).toEqual(['child', 'parent']);
    expect(await namesAt(flags, 0, () => flags.put(onFlag('alone')))).toEqual(['alone']);
  });

  it('are not looked for when more chunks differ than are compared', async () => {
    const flags = new FlagsInMemory();
    // 33 chunks of 64 flags, each of which is replaced.
    const names = Array.from({ length: 33 * 64 }, (_, index) => `flag-${index}`).sort();
    flags.put(...names.map((name) => onFlag(name)));
    const one = (chunk: number) => offFlag(names[chunk * 64] as string);
    const many = (count: number) => () => flags.put(...Array.from({ length: count }, (_, chunk) => one(chunk)));
    expect(await namesAt(flags, 0, many(32))).toHaveLength(32);
    expect(await namesAt(flags, 0, many(33))).toBeUndefined();
  });
});
