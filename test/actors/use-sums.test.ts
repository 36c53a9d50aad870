import { expect, it } from 'vitest';
import { UseSums } from '../../src/actors/use-sums.ts';
import { systemClock } from '../../src/base/clock.ts';
import { State } from '../../src/state/state.ts';

const SCOPE = { environment: 'development', projects: null };
const reporter = (appName: string) => ({ appName, instanceId: '', sdk: '', sdkOfRequest: '', address: '' });
const strategies = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

it('counts the strategies that applications know among the names that it holds, those of the newest registration', () => {
  const sums = new UseSums(new State());
  const register = (appName: string, names: string[]) =>
    sums.register(SCOPE, reporter(appName), names, systemClock.nowMs());
  register('app', strategies('first', 100));
  register('app', strategies('second', 100));
  register('app', strategies('third', 9));
  expect(sums.size).toBe(10);
  for (let index = 0; index < 1_000; index++) register(`app-${index}`, strategies('own', 100));
  expect(sums.size).toBeLessThanOrEqual(50_000);
  expect(sums.dropped.full).toBeGreaterThan(400);
});
