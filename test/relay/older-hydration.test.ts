import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestRelay, type TestRelay } from '../support/relay.ts';
import { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { until } from '../support/until.ts';

const TOKEN = 'one:development.token';
const flag = (name: string) => ({ name, enabled: true, project: 'one', strategies: [] });

let upstream: ScriptedUpstream;
let relay: TestRelay;

beforeAll(async () => {
  upstream = await ScriptedUpstream.start({
    [TOKEN]: { features: [flag('early'), flag('late')], etag: 'W/"24cad7e9:7"' },
  });
  relay = await startTestRelay(upstream.url, { tokens: [TOKEN], isStreaming: true, refreshMs: 600_000 });
  await until(
    () => upstream.isOpen(TOKEN),
    (isOpen) => isOpen,
  );
});

afterAll(async () => {
  await relay.close();
  await upstream.close();
});

async function names(): Promise<string[]> {
  const answer = await fetch(`${relay.url}/api/client/features`, { headers: { authorization: TOKEN } });
  return ((await answer.json()) as { features: { name: string }[] }).features.map(({ name }) => name);
}

const told = (...expected: string[]) =>
  until(names, (all) => {
    expect(all).toContain('late');
    return all.join() === expected.join();
  });

it('a stream that begins with less than the list had takes nothing away, and the list is asked for once more', async () => {
  const before = upstream.asked.get(TOKEN) ?? 0;
  // Changed since the list was taken, and before the stream began: nobody tells it.
  upstream.lists.set(TOKEN, { features: [flag('early'), flag('late'), flag('newer')], etag: 'W/"24cad7e9:8"' });
  upstream.hydrate(TOKEN, { features: [flag('early')] }, 5);
  await told('early', 'late', 'newer');
  expect(upstream.asked.get(TOKEN)).toBe(before + 1);
  upstream.tell(TOKEN, [{ type: 'feature-updated', eventId: 9, feature: flag('newest') }]);
  await told('early', 'late', 'newer', 'newest');
});

it('a stream that begins with more is taken as it is', async () => {
  upstream.hydrate(TOKEN, { features: [flag('late'), flag('other')] }, 12);
  await told('late', 'other');
});
