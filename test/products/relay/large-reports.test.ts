import { afterEach, beforeEach, expect, it } from 'vitest';
import type { BulkUse } from '../../../src/products/relay/report-box.ts';
import { ScriptedUpstream } from '../../support/http/scripted-upstream.ts';
import { startTestRelay, type TestRelay } from '../../support/relay.ts';
import { until } from '../../support/until.ts';

const TOKEN = '*:development.token';

let upstream: ScriptedUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await ScriptedUpstream.start({ [TOKEN]: { features: [] } });
  relay = await startTestRelay(upstream.url, { tokens: [TOKEN] });
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

async function send(path: string, body: object): Promise<number> {
  const headers = { authorization: TOKEN, 'content-type': 'application/json' };
  const text = JSON.stringify({ appName: 'shop', instanceId: 'one', ...body });
  return (await fetch(`${relay.url}/api/client/${path}`, { method: 'POST', headers, body: text })).status;
}

async function report(toggles: object, more: object = {}): Promise<void> {
  const now = new Date().toISOString();
  await until(
    () => send('metrics', { bucket: { start: now, stop: now, toggles }, ...more }),
    (status) => status === 202,
  );
}

/** The reports that upstream has accepted, when none waits any more. */
async function taken(): Promise<BulkUse[]> {
  await until(
    () => relay.relay.status().reports,
    ({ waiting, batches }) => waiting + batches === 0 && upstream.reports.length > 0,
  );
  return upstream.reports.flatMap((body) => JSON.parse(body).metrics as BulkUse[]);
}

const listOf = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, at) => make(at));

it('no report batch is larger than upstream accepts, whatever characters the names contain', async () => {
  upstream.reportBytesMax = 100_000;
  // Each of these characters has three bytes.
  const variants = Object.fromEntries(listOf(600, (index) => [`${index} ${'ℵ'.repeat(190)}`, 1] as const));
  await report({ many: { yes: 600, no: 7, variants }, plain: { yes: 1, no: 0, variants: {} } });
  const controls = '\u0001'.repeat(200);
  const strategies = listOf(100, (index) => `${index}${controls}`);
  await send('register', { strategies, started: new Date().toISOString(), interval: 1_000 });
  const samples = listOf(60, (index) => ({ labels: { of: `${index}${controls}`, as: controls }, value: 1 }));
  await report({}, { impactMetrics: [{ name: 'sold', help: 'of sold', type: 'counter', samples }] });
  const uses = (await taken()).filter(({ featureName }) => featureName === 'many');
  expect(Object.assign({}, ...uses.map((use) => use.variants))).toEqual(variants);
  expect(uses.reduce((sum, { yes }) => sum + yes, 0)).toBe(600);
  expect(uses.reduce((sum, { no }) => sum + no, 0)).toBe(7);
  const { refused, dropped } = relay.relay.status().reports;
  expect([refused, dropped]).toEqual([0, 0]);
  for (const body of upstream.reports) expect(Buffer.byteLength(body)).toBeLessThan(95_000);
});

it('splits a report batch that upstream still refuses as too large, and drops only a single item that is too large', async () => {
  upstream.reportBytesMax = 2_000;
  const flags = listOf(200, (index) => `flag-${index}`);
  const use = { yes: 2, no: 1, variants: {} };
  await report({
    ...Object.fromEntries(flags.map((name) => [name, use])),
    large: { ...use, variants: Object.fromEntries(listOf(20, (index) => [`${index}-${'v'.repeat(150)}`, 1] as const)) },
  });
  const uses = await taken();
  expect(uses.map(({ featureName }) => featureName).sort()).toEqual(flags.sort());
  expect(uses.every(({ yes, no }) => yes === 2 && no === 1)).toBe(true);
  expect(relay.relay.status().reports.refused).toBe(1);
});
