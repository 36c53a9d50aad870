import { afterEach, beforeEach, it } from 'vitest';
import { startTestRelay, type TestRelay } from '../support/relay.ts';
import { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { until } from '../support/until.ts';

const TOKEN = '*:development.token';
const flag = (name: string, ...segments: number[]) => ({
  ...{ name, enabled: true, project: 'default' },
  strategies: [{ name: 'default', parameters: {}, constraints: [], ...(segments.length > 0 && { segments }) }],
});
const segment = (id: number, ...values: string[]) => ({
  ...{ id, name: `segment ${id}` },
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

/** Ids that the flag names, and the segments of the list with their values. */
async function told(): Promise<string> {
  const headers = { authorization: TOKEN, 'unleash-client-spec': '5.2.0' };
  const answer = await fetch(`${relay.url}/api/client/features`, { headers });
  const { features = [], segments = [] } = (await answer.json()) as Partial<List>;
  const named = features.flatMap(({ strategies }) => strategies.flatMap((strategy) => strategy.segments ?? []));
  const known = segments.map(({ id, constraints }) => `${id} of ${constraints.flatMap(({ values }) => values)}`);
  return `${named.join()}: ${known.join()}`;
}

const isTold = (expected: string) => until(told, (all) => all === expected);
const kept = () => [...relay.running.services.state.values('segments')].map(({ id }) => id);
const isKept = (...ids: number[]) => until(kept, (all) => all.join() === ids.join());

it('a segment is there when a flag begins to name it, told long before', async () => {
  upstream.hydrate(TOKEN, { features: [flag('asks')] });
  upstream.tell(TOKEN, [{ type: 'segment-updated', eventId: 2, segment: segment(7, 'a') }]);
  await isKept(7);
  upstream.tell(TOKEN, [{ ...updated(7), eventId: 3 }]);
  await isTold('7: 7 of a');
});

it('also one that stood unused in what the stream told first, as it was changed since', async () => {
  upstream.hydrate(TOKEN, { features: [flag('asks')], segments: [segment(7, 'a'), segment(8, 'b')] });
  await isKept(7, 8);
  upstream.tell(TOKEN, [{ type: 'segment-updated', eventId: 2, segment: segment(8, 'c') }]);
  upstream.tell(TOKEN, [{ ...updated(7, 8), eventId: 3 }]);
  await isTold('7,8: 7 of a,8 of c');
});

it('also one that a flag stopped naming', async () => {
  upstream.hydrate(TOKEN, { features: [flag('asks', 7)], segments: [segment(7, 'a')] });
  await isTold('7: 7 of a');
  upstream.tell(TOKEN, [{ ...updated(), eventId: 2 }]);
  await isTold(': ');
  upstream.tell(TOKEN, [{ ...updated(7), eventId: 3 }]);
  await isTold('7: 7 of a');
});

it('one that is removed goes unless a flag names it, and with the next stream those that are not told', async () => {
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

it('one that was never told has all of the scope told again', async () => {
  upstream.hydrate(TOKEN, { features: [flag('asks')] });
  upstream.tell(TOKEN, [{ ...updated(7), eventId: 2 }]);
  await until(
    () => upstream.begun.get(TOKEN),
    (count) => count === 2,
  );
  upstream.hydrate(TOKEN, { features: [flag('asks', 7)], segments: [segment(7, 'a')] }, 2);
  await isTold('7: 7 of a');
});
