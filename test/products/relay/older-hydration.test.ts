import { afterEach, beforeEach, expect, it } from 'vitest';
import { ScriptedUpstream } from '../../support/http/scripted-upstream.ts';
import { startTestRelay, type TestRelay } from '../../support/relay.ts';
import { until } from '../../support/until.ts';

const TOKEN = 'one:development.token';
const flag = (name: string, enabled = true) => ({ name, enabled, project: 'one', strategies: [] });

let upstream: ScriptedUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await ScriptedUpstream.start({
    [TOKEN]: { features: [flag('early'), flag('late')], etag: 'W/"24cad7e9:7"' },
  });
  relay = await startTestRelay(upstream.url, { tokens: [TOKEN], isStreaming: true, refreshMs: 100 });
  await isStreaming();
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const isStreaming = () =>
  until(
    () => upstream.isOpen(TOKEN),
    (isOpen) => isOpen,
  );

const isAsked = (times: number) =>
  until(
    () => upstream.asked.get(TOKEN) ?? 0,
    (count) => count >= times,
  );

async function flags(): Promise<{ readonly name: string; readonly enabled: boolean }[]> {
  const answer = await fetch(`${relay.url}/api/client/features`, { headers: { authorization: TOKEN } });
  return ((await answer.json()) as { features: { name: string; enabled: boolean }[] }).features;
}

const names = async () => (await flags()).map(({ name }) => name);

const untilServed = (...expected: string[]) =>
  until(names, (all) => {
    expect(all).toContain('late');
    return all.join() === expected.join();
  });

it('removes nothing when a stream starts with older data than the list, and asks for the list once more', async () => {
  // The stream sends nothing at first: the relay asks for the list as well.
  await untilServed('early', 'late');
  // Changed after the list was read and before the stream started: no event contains the change.
  upstream.lists.set(TOKEN, { features: [flag('early'), flag('late'), flag('newer')], etag: 'W/"24cad7e9:8"' });
  upstream.hydrate(TOKEN, { features: [flag('early')] }, 5);
  await untilServed('early', 'late', 'newer');
  expect(upstream.asked.get(TOKEN)).toBe(2);
  upstream.tell(TOKEN, [{ type: 'feature-updated', eventId: 9, feature: flag('newest') }]);
  await untilServed('early', 'late', 'newer', 'newest');
});

it('applies the start of a stream that is newer than the list', async () => {
  await untilServed('early', 'late');
  upstream.hydrate(TOKEN, { features: [flag('late'), flag('other')] }, 12);
  await untilServed('late', 'other');
  expect(upstream.asked.get(TOKEN)).toBe(1);
});

it('removes nothing when a stream starts again with older data than an earlier stream sent', async () => {
  upstream.hydrate(TOKEN, { features: [flag('early')] }, 5);
  upstream.tell(TOKEN, [{ type: 'feature-updated', eventId: 7, feature: flag('late') }]);
  await until(names, (all) => all.join() === 'early,late');
  upstream.cut(TOKEN);
  await isStreaming();
  upstream.hydrate(TOKEN, { features: [flag('early')] }, 5);
  await isAsked(1);
  await untilServed('early', 'late');
});

it('applies changes that arrive while the list is loading after the list', async () => {
  await untilServed('early', 'late');
  let send = () => {};
  upstream.sending = new Promise((resolve) => {
    send = resolve;
  });
  upstream.hydrate(TOKEN, { features: [] }, 5);
  await isAsked(2);
  upstream.tell(TOKEN, [{ type: 'feature-updated', eventId: 8, feature: flag('late', false) }]);
  upstream.tell(TOKEN, [{ type: 'feature-updated', eventId: 9, feature: flag('newest') }]);
  // Long enough for the relay to apply the changes too early.
  await new Promise((resolve) => setTimeout(resolve, 100));
  send();
  await untilServed('early', 'late', 'newest');
  expect((await flags()).find(({ name }) => name === 'late')?.enabled).toBe(false);
});

it('does not apply a list that is older than the data of the stream', async () => {
  let send = () => {};
  upstream.sending = new Promise((resolve) => {
    send = resolve;
  });
  await isAsked(1);
  upstream.hydrate(TOKEN, { features: [flag('late'), flag('other')] }, 12);
  await until(names, (all) => all.join() === 'late,other');
  send();
  upstream.tell(TOKEN, [{ type: 'feature-updated', eventId: 13, feature: flag('newest') }]);
  await untilServed('late', 'newest', 'other');
});

it('does not treat changes that arrive before the first list as a complete list', async () => {
  let send = () => {};
  upstream.sending = new Promise((resolve) => {
    send = resolve;
  });
  upstream.tell(TOKEN, [{ type: 'feature-updated', eventId: 8, feature: flag('newest') }]);
  await isAsked(1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(relay.running.services.state.size('mirroredScopes')).toBe(0);
  send();
  await until(names, (all) => all.join() === 'early,late,newest');
});

it('asks for the list although the stream sends keep-alive comments', async () => {
  const alive = setInterval(() => upstream.comment(TOKEN), 200);
  try {
    await until(names, (all) => all.join() === 'early,late');
  } finally {
    clearInterval(alive);
  }
});
