import { expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { ReportSums } from '../../../src/features/usage/report-sums.ts';
import { type BulkUse, ReportBox } from '../../../src/products/relay/report-box.ts';
import { State } from '../../../src/state/state.ts';

const SCOPE = { environment: 'development', projects: null };
const HOUR_MS = 3_600_000;

function reporter(appName: string, isPublic = false) {
  return { appName, instanceId: '', sdk: '', sdkOfRequest: '', address: '', isPublic };
}

it('the reports of SDKs never exceed the capacity, however many applications they name', () => {
  const box = new ReportBox(systemClock, { appName: 'relay', instanceId: 'one' });
  const nowMs = systemClock.nowMs();
  for (let index = 0; index < 100_010; index++) box.report(SCOPE, reporter(`app-${index}`), {}, nowMs);
  expect([box.waiting, box.dropped.full]).toEqual([100_000, 10]);
});

it('reports of browsers use no capacity of the reports of servers, whatever names they contain', () => {
  const box = new ReportBox(systemClock, { appName: 'relay', instanceId: 'one' });
  const nowMs = systemClock.nowMs();
  const use = { yes: 1, no: 0, variants: { red: 1 } };
  for (let index = 0; index < 50_000; index++) {
    const page = { ...reporter(`page-${index}`, true), instanceId: `${index}` };
    box.register(SCOPE, page, []);
    box.report(SCOPE, page, { [`flag-${index}`]: use }, nowMs);
  }
  expect(box.waiting).toBe(20_000);
  const before = { ...box.dropped };
  for (let index = 0; index < 10_000; index++) box.report(SCOPE, reporter('server'), { [`flag-${index}`]: use }, nowMs);
  box.register(SCOPE, reporter('server'), []);
  expect([box.waiting, box.dropped]).toEqual([40_002, before]);
  expect([...box.peek()].filter(({ appName }) => appName === 'server')).toHaveLength(10_001);
});

it('drops a report that is too old for upstream to count', () => {
  const box = new ReportBox(systemClock, { appName: 'relay', instanceId: 'one' });
  const use = { yes: 1, no: 0, variants: {} };
  box.report(SCOPE, reporter('app'), { flag: use }, systemClock.nowMs() - 1_000 * HOUR_MS);
  expect([box.waiting, box.dropped.late]).toEqual([0, 1]);
  box.report(SCOPE, reporter('app'), { flag: use }, systemClock.nowMs());
  expect([...box.peek()]).toHaveLength(1);
});

it('judges the age of a report by its hour, as a server does', () => {
  const nowMs = Date.parse('2026-03-04T10:30:00Z');
  const box = new ReportBox({ ...systemClock, nowMs: () => nowMs }, { appName: 'relay', instanceId: 'one' });
  const sums = new ReportSums(new State());
  const report = (untilMs: number) => {
    box.report(SCOPE, reporter('app'), {}, untilMs);
    sums.report(SCOPE, reporter('app'), {}, untilMs, nowMs);
    return [box.dropped.late, sums.dropped.late];
  };
  expect(report(Date.parse('2026-03-02T11:00:00Z'))).toEqual([0, 0]);
  expect(report(Date.parse('2026-03-02T10:59:59Z'))).toEqual([1, 1]);
});

it('counts each strategy name against the capacity, and a name that several applications share once', () => {
  const box = new ReportBox(systemClock, { appName: 'relay', instanceId: 'one' });
  const known = (prefix: string) => Array.from({ length: 100 }, (_, index) => `${prefix}-${index}`);
  box.register(SCOPE, reporter('app'), known('same'));
  box.register(SCOPE, reporter('other'), known('same'));
  expect(box.waiting).toBe(102);
  for (let index = 0; index < 2_000; index++) box.register(SCOPE, reporter(`app-${index}`), known(`own-${index}`));
  expect(box.waiting).toBeLessThanOrEqual(100_000);
  expect(box.dropped.full).toBeGreaterThan(1_000);
  const applications = box.take().flatMap((report) => report.applications);
  expect(applications.length).toBeLessThan(1_100);
  expect(applications.at(-1)?.strategies).toEqual([]);
  box.register(SCOPE, reporter('app'), known('same'));
  expect(box.waiting).toBe(101);
});

it('splits many variants of a flag into several items with the same totals', () => {
  const box = new ReportBox(systemClock, { appName: 'relay', instanceId: 'one' });
  const variants = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`variant-${index}`, index + 1]));
  box.report(SCOPE, reporter('app'), { flag: { yes: 1_000, no: 2, variants } }, systemClock.nowMs());
  const items = [...box.peek()] as BulkUse[];
  expect(items.map((item) => Object.keys(item.variants).length)).toEqual([50, 50, 20]);
  expect(Object.assign({}, ...items.map((item) => item.variants))).toEqual(variants);
  const sum = (of: (item: BulkUse) => number) => items.map(of).reduce((all, times) => all + times, 0);
  expect([sum(({ yes }) => yes), sum(({ no }) => no)]).toEqual([1_000, 2]);
  // Upstream ignores an item without evaluations.
  for (const { yes, no } of items) expect(yes + no).toBeGreaterThan(0);
});
