import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';

const LONG_MS = 3_600_000;

let warnings: string[];
const onWarning = (warning: Error) => warnings.push(warning.name);

beforeEach(() => {
  warnings = [];
  process.on('warning', onWarning);
});

afterEach(() => void process.off('warning', onWarning));

describe.each([
  ['the system', () => systemClock],
  ['a test', () => new ManualClock()],
] as const)('The clock of %s', (_name, clockOf) => {
  it('has any number of sleepers until one signal, without a warning of a leak', async () => {
    const clock = clockOf();
    const end = new AbortController();
    const sleepers = Array.from({ length: 30 }, () => clock.sleep(LONG_MS, end.signal));
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
    end.abort();
    await Promise.all(sleepers);
    await clock.sleep(LONG_MS, end.signal);
    expect(getEventListeners(end.signal, 'abort')).toHaveLength(0);
  });

  it('wakes each sleeper at its own signal, and leaves no listener behind', async () => {
    const clock = clockOf();
    const [first, second] = [new AbortController(), new AbortController()];
    const woken: string[] = [];
    const sleep = async (name: string, { signal }: AbortController, ms = LONG_MS) => {
      await clock.sleep(ms, signal);
      woken.push(name);
    };
    const sleepers = [sleep('a', first), sleep('b', second), sleep('c', first), sleep('soon', second, 1)];
    if (clock instanceof ManualClock) clock.advance(1);
    await sleepers[3];
    expect(woken).toEqual(['soon']);
    first.abort();
    await Promise.all([sleepers[0], sleepers[2]]);
    expect(woken).toEqual(['soon', 'a', 'c']);
    second.abort();
    await Promise.all(sleepers);
    expect(woken).toEqual(['soon', 'a', 'c', 'b']);
    for (const { signal } of [first, second]) expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    const short = new AbortController();
    const passed = clock.sleep(1, short.signal);
    if (clock instanceof ManualClock) clock.advance(1);
    await passed;
    expect(getEventListeners(short.signal, 'abort')).toHaveLength(0);
  });
});
