import { expect, it } from 'vitest';
import { countsOf } from '../../src/actors/flag-counts.ts';
import { systemClock } from '../../src/base/clock.ts';
import { ReportBox } from '../../src/relay/report-box.ts';

const SCOPE = { environment: 'development', projects: null };
const HOUR_MS = 3_600_000;

function reporter(appName: string, isPublic = false) {
  return { appName, instanceId: '', sdk: '', sdkOfRequest: '', address: '', isPublic };
}

it('what SDKs report takes no more room than there is, however many applications and hours they name', () => {
  const box = new ReportBox(systemClock, { appName: 'relay', instanceId: 'one' });
  const nowMs = systemClock.nowMs();
  for (let index = 0; index < 100_010; index++) box.report(SCOPE, reporter(`app-${index}`), countsOf({}), nowMs);
  expect([box.waiting, box.dropped.full]).toEqual([100_000, 10]);
});

it('what browsers report takes no room of what servers report, by whatever it is called', () => {
  const box = new ReportBox(systemClock, { appName: 'relay', instanceId: 'one' });
  const nowMs = systemClock.nowMs();
  const use = { yes: 1, no: 0, variants: { red: 1 } };
  for (let index = 0; index < 50_000; index++) {
    const page = { ...reporter(`page-${index}`, true), instanceId: `${index}` };
    box.register(SCOPE, page, []);
    box.report(SCOPE, page, countsOf({ [`flag-${index}`]: use }), nowMs);
  }
  expect(box.waiting).toBe(20_000);
  const before = { ...box.dropped };
  for (let index = 0; index < 10_000; index++)
    box.report(SCOPE, reporter('server'), countsOf({ [`flag-${index}`]: use }), nowMs);
  box.register(SCOPE, reporter('server'), []);
  expect([box.waiting, box.dropped]).toEqual([40_002, before]);
  expect([...box.peek()].filter(({ appName }) => appName === 'server')).toHaveLength(10_001);
});

it('what is too long ago to be counted upstream is not kept for it', () => {
  const box = new ReportBox(systemClock, { appName: 'relay', instanceId: 'one' });
  const use = { yes: 1, no: 0, variants: {} };
  box.report(SCOPE, reporter('app'), countsOf({ flag: use }), systemClock.nowMs() - 1_000 * HOUR_MS);
  expect([box.waiting, box.dropped.late]).toEqual([0, 1]);
  box.report(SCOPE, reporter('app'), countsOf({ flag: use }), systemClock.nowMs());
  expect([...box.peek()]).toHaveLength(1);
});
