import { afterEach, beforeEach, it } from 'vitest';
import { ScriptedUpstream } from '../../support/http/scripted-upstream.ts';
import { startTestRelay, type TestRelay } from '../../support/relay.ts';
import { until } from '../../support/until.ts';

const TOKEN = '*:development.token';
const flag = (name: string, ...segments: number[]) => ({
  name,
  enabled: true,
  project: 'default',
  strategies: [{ name: 'default', parameters: {}, constraints: [], ...(segments.length > 0 && { segments }) }],
});
const segment = (id: number, ...values: string[]) => ({
  id,
  name: `segment ${id}`,
  constraints: [{ contextName: 'userId', operator: 'IN', values }],
});
interface List {
  readonly features: ReturnType<typeof flag>[];
  readonly segments: ReturnType<typeof segment>[];
}
const updated = (...segments: number[]) => ({ type: 'feature-updated', feature: flag('asks', ...segments) });

let upstream: ScriptedUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await ScriptedUpstream.start({ [TOKEN]: { features: [flag('asks')] } });
  relay = await startTestRelay(upstream.url, { tokens: [TOKEN], isStreaming: true, refreshMs: 100 });
  await until(
    () => upstream.isOpen(TOKEN),
    (isOpen) => isOpen,
  );
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

/** Ids of the segments that the flag references, and the segments of the list with their values. */
async function served(): Promise<string> {
  const headers = { authorization: TOKEN, 'unleash-client-spec': '5.2.0' };
  const answer = await fetch(`${relay.url}/api/client/features`, { headers });
  const { features = [], segments = [] } = (await answer.json()) as Partial<List>;
  const named = features.flatMap(({ strategies }) => strategies.flatMap((strategy) => strategy.segments ?? []));
  const known = segments.map(({ id, constraints }) => `${id} of ${constraints.flatMap(({ values }) => values)}`);
  return `${named.join()}: ${known.join()}`;
}

const untilServed = (expected: string) => until(served, (all) => all === expected);
const kept = () => [...relay.running.services.state.values('segments')].map(({ id }) => id);
const isKept = (...ids: number[]) => until(kept, (all) => all.join() === ids.join());

it('serves a segment that upstream sent before a flag references it', async () => {
  upstream.hydrate(TOKEN, { features: [flag('asks')] });
  upstream.tell(TOKEN, [{ type: 'segment-updated', eventId: 2, segment: segment(7, 'a') }]);
  await isKept(7);
  upstream.tell(TOKEN, [{ ...updated(7), eventId: 3 }]);
  await untilServed('7: 7 of a');
});

it('serves the current values of segments that no flag referenced when the stream started', async () => {
  upstream.hydrate(TOKEN, { features: [flag('asks')], segments: [segment(7, 'a'), segment(8, 'b')] });
  await isKept(7, 8);
  upstream.tell(TOKEN, [{ type: 'segment-updated', eventId: 2, segment: segment(8, 'c') }]);
  upstream.tell(TOKEN, [{ ...updated(7, 8), eventId: 3 }]);
  await untilServed('7,8: 7 of a,8 of c');
});

it('serves a segment again that a flag stopped referencing', async () => {
  upstream.hydrate(TOKEN, { features: [flag('asks', 7)], segments: [segment(7, 'a')] });
  await untilServed('7: 7 of a');
  upstream.tell(TOKEN, [{ ...updated(), eventId: 2 }]);
  await untilServed(': ');
  upstream.tell(TOKEN, [{ ...updated(7), eventId: 3 }]);
  await untilServed('7: 7 of a');
});

it('deletes a removed segment unless a flag references it, and deletes those that the next stream does not contain', async () => {
  upstream.hydrate(TOKEN, { features: [flag('asks', 7)], segments: [segment(7), segment(8), segment(9)] });
  await isKept(7, 8, 9);
  upstream.tell(
    TOKEN,
    [7, 8].map((segmentId) => ({ type: 'segment-removed', eventId: 2, segmentId })),
  );
  await isKept(7, 9);
  upstream.hydrate(TOKEN, { features: [flag('asks', 7)], segments: [segment(7)] }, 3);
  await isKept(7);
});

it('starts the stream again when a flag references a segment that upstream never sent', async () => {
  upstream.hydrate(TOKEN, { features: [flag('asks')] });
  upstream.tell(TOKEN, [{ ...updated(7), eventId: 2 }]);
  await until(
    () => upstream.begun.get(TOKEN),
    (count) => count === 2,
  );
  upstream.hydrate(TOKEN, { features: [flag('asks', 7)], segments: [segment(7, 'a')] }, 2);
  await untilServed('7: 7 of a');
});
