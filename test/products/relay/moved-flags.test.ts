import { afterEach, expect, it } from 'vitest';
import { ScriptedUpstream } from '../../support/http/scripted-upstream.ts';
import { startTestRelay, type TestRelay } from '../../support/relay.ts';
import { until } from '../../support/until.ts';

const [OLD, NEW] = ['old:development.one', 'new:development.two'] as const;
const moved = (project: string) => ({ name: 'moved', enabled: true, project, strategies: [] });

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function worldOf(lists: Parameters<typeof ScriptedUpstream.start>[0]) {
  const upstream = await ScriptedUpstream.start(lists);
  closing.push(() => upstream.close());
  const relay = await startTestRelay(upstream.url, { tokens: Object.keys(lists), isStreaming: true, refreshMs: 100 });
  closing.push(() => relay.close());
  for (const token of Object.keys(lists)) {
    await until(
      () => upstream.isOpen(token),
      (isOpen) => isOpen,
    );
  }
  return { upstream, relay };
}

async function projects(relay: TestRelay, token: string): Promise<string[]> {
  const headers = { authorization: token, 'unleash-client-spec': '5.2.0' };
  const answer = await fetch(`${relay.url}/api/client/features`, { headers });
  return ((await answer.json()) as { features: { project: string }[] }).features.map(({ project }) => project);
}

const untilServed = (relay: TestRelay, token: string, expected: readonly string[]) =>
  until(
    () => projects(relay, token),
    (served) => served.join() === expected.join(),
  );

it('keeps a moved flag when older data of its former project arrives after the update of its new project', async () => {
  const { upstream, relay } = await worldOf({ [OLD]: { features: [moved('old')] }, [NEW]: { features: [] } });
  upstream.hydrate(NEW, { features: [] });
  upstream.tell(NEW, [{ type: 'feature-updated', eventId: 2, feature: moved('new') }]);
  upstream.lists.set(OLD, { features: [] });
  upstream.lists.set(NEW, { features: [moved('new')] });
  await untilServed(relay, NEW, ['new']);
  const before = upstream.asked.get(NEW) ?? 0;
  // Read before the move, and delivered late.
  upstream.hydrate(OLD, { features: [moved('old')] });
  await until(
    () => upstream.asked.get(NEW) ?? 0,
    (count) => count > before,
  );
  upstream.tell(OLD, [{ type: 'feature-removed', eventId: 2, featureName: 'moved', project: 'old' }]);
  await untilServed(relay, NEW, ['new']);
  await untilServed(relay, OLD, []);
});

it('asks for no list again when a flag moves between projects that the same tokens see', async () => {
  const [development, production] = ['*:development.one', '*:production.two'] as const;
  const list = { features: [moved('old')] };
  const { upstream, relay } = await worldOf({ [development]: list, [production]: list });
  for (const token of [development, production]) upstream.hydrate(token, list);
  const before = new Map(upstream.asked);
  for (const token of [development, production]) {
    upstream.tell(token, [{ type: 'feature-updated', eventId: 2, feature: moved('new') }]);
    await untilServed(relay, token, ['new']);
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(upstream.asked).toEqual(before);
});
