import { expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { type Reporter, ReportSums } from '../../../src/features/usage/report-sums.ts';
import { State } from '../../../src/state/state.ts';
import { flag } from '../../support/admin.ts';
import { commitOf } from '../../support/random-state.ts';

const SCOPE = { environment: 'development', projects: null };
const NOW_MS = systemClock.nowMs();

function sumsOf(...names: readonly string[]): ReportSums {
  const state = new State();
  state.apply(
    commitOf(
      state,
      names.map((name) => ({ collection: 'features', key: name, entity: flag(name) })),
    ),
  );
  return new ReportSums(state);
}

function reporter(appName: string, instanceId: string, isPublic: boolean): Reporter {
  return { appName, instanceId, sdk: '', sdkOfRequest: '', address: '', isPublic };
}

const strategies = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

it('counts the strategies of applications among its names, those of the newest registration only', () => {
  const sums = new ReportSums(new State());
  const register = (appName: string, names: string[]) =>
    sums.register(SCOPE, reporter(appName, '', false), names, systemClock.nowMs());
  register('app', strategies('first', 100));
  register('app', strategies('second', 100));
  register('app', strategies('third', 9));
  expect(sums.size).toBe(10);
  for (let index = 0; index < 1_000; index++) register(`app-${index}`, strategies('own', 100));
  expect(sums.size).toBeLessThanOrEqual(50_000);
  expect(sums.dropped.full).toBeGreaterThan(400);
});

it('reports of browsers use no capacity for reports of servers: flags, applications and instances', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `flag-${index}`);
  const sums = sumsOf(...names);
  const counts = Object.fromEntries(names.map((name) => [name, { yes: 1, no: 0, variants: {} }]));
  for (let index = 0; index < 60_000; index++) {
    sums.register(SCOPE, reporter(`page-${index % 7_000}`, `${index}`, true), ['default'], NOW_MS);
    if (index % 1_000 === 0) sums.report(SCOPE, reporter('page', 'one', true), counts, NOW_MS, NOW_MS);
  }
  expect(sums.dropped.full).toBeGreaterThan(0);
  const before = { ...sums.dropped };
  sums.report(SCOPE, reporter('server', 'one', false), counts, NOW_MS, NOW_MS);
  expect(sums.dropped).toEqual(before);
  const ofServer = [...sums.applicationSums()].filter(({ appName }) => appName === 'server');
  expect(ofServer.map(({ flags, instances }) => [flags.size, instances.size])).toEqual([[1_000, 1]]);
});

it('an instance that registers repeatedly uses the capacity of one', () => {
  const sums = sumsOf();
  for (let index = 0; index < 60_000; index++)
    sums.register(SCOPE, reporter('server', 'one', false), ['default', `own-${index}`], NOW_MS);
  // Its application, the instance, and the strategies that it reported last.
  expect([sums.size, sums.dropped.full]).toEqual([4, 0]);
  expect([...sums.applicationSums()].map(({ strategies }) => strategies)).toEqual([['default', 'own-59999']]);
});

it('an unknown flag is counted under any name that a flag can have', () => {
  const sums = sumsOf();
  const counts = { "a!b*c'd(e)": { yes: 1, no: 0, variants: {} }, 'a b': { yes: 1, no: 0, variants: {} } };
  sums.report(SCOPE, reporter('server', 'one', false), counts, NOW_MS, NOW_MS);
  expect(sums.dropped.name).toBe(1);
});
