import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestRelay, type TestRelay } from '../support/relay.ts';
import { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { until } from '../support/until.ts';

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

const told = (...expected: string[]) =>
  until(names, (all) => {
    expect(all).toContain('late');
    return all.join() === expected.join();
  });

it('a stream that begins with less than the list had takes nothing away, and the list is asked for once more', async () => {
  // The stream says nothing at first: the list is asked for beside it.
  await told('early', 'late');
  // Changed since the list was taken, and before the stream began: nobody tells it.
  upstream.lists.set(TOKEN, { features: [flag('early'), flag('late'), flag('newer')], etag: 'W/"24cad7e9:8"' });
  upstream.hydrate(TOKEN, { features: [flag('early')] }, 5);
  await told('early', 'late', 'newer');
  expect(upstream.asked.get(TOKEN)).toBe(2);
  upstream.tell(TOKEN, [{ type: 'feature-updated', eventId: 9, feature: flag('newest') }]);
  await told('early', 'late', 'newer', 'newest');
});

it('a stream that begins with more is taken as it is', async () => {
  await told('early', 'late');
  upstream.hydrate(TOKEN, { features: [flag('late'), flag('other')] }, 12);
  await told('late', 'other');
  expect(upstream.asked.get(TOKEN)).toBe(1);
});

it('one that begins again with less than an earlier one told takes nothing away', async () => {
  upstream.hydrate(TOKEN, { features: [flag('early')] }, 5);
  upstream.tell(TOKEN, [{ type: 'feature-updated', eventId: 7, feature: flag('late') }]);
  await until(names, (all) => all.join() === 'early,late');
  upstream.cut(TOKEN);
  await isStreaming();
  upstream.hydrate(TOKEN, { features: [flag('early')] }, 5);
  await isAsked(1);
  await told('early', 'late');
});

it('what changes while the list is on its way is taken after it', async () => {
  await told('early', 'late');
  let send = () => {};
  upstream.sending = new Promise((resolve) => {
    send = resolve;
  });
  upstream.hydrate(TOKEN, { features: [] }, 5);
  await isAsked(2);
  upstream.tell(TOKEN, [{ type: 'feature-updated', eventId: 8, feature: flag('late', false) }]);
  upstream.tell(TOKEN, [{ type: 'feature-updated', eventId: 9, feature: flag('newest') }]);
  // Long enough that it would have been taken before.
  await new Promise((resolve) => setTimeout(resolve, 100));
  send();
  await told('early', 'late', 'newest');
  expect((await flags()).find(({ name }) => name === 'late')?.enabled).toBe(false);
});

it('a list that a stream has overtaken is not taken', async () => {
  let send = () => {};
  upstream.sending = new Promise((resolve) => {
    send = resolve;
  });
  await isAsked(1);
  upstream.hydrate(TOKEN, { features: [flag('late'), flag('other')] }, 12);
  await until(names, (all) => all.join() === 'late,other');
  send();
  upstream.tell(TOKEN, [{ type: 'feature-updated', eventId: 13, feature: flag('newest') }]);
  await told('late', 'newest', 'other');
});

it('changes that come before all was told are not taken for all there is', async () => {
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

it('signs of life do not keep the list from being asked for', async () => {
  const alive = setInterval(() => upstream.comment(TOKEN), 200);
  try {
    await until(names, (all) => all.join() === 'early,late');
  } finally {
    clearInterval(alive);
  }
});
