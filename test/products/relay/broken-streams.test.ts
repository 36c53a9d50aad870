import { afterEach, expect, it } from 'vitest';
import { ScriptedUpstream } from '../../support/http/scripted-upstream.ts';
import { startTestRelay } from '../../support/relay.ts';
import { until } from '../../support/until.ts';

const TOKEN = '*:development.one';
const LIST = { features: [{ name: 'first', enabled: true, project: 'default', strategies: [] }] };

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

it('starts a stream again that broke, or that upstream could not start, as soon as upstream answers', async () => {
  const upstream = await ScriptedUpstream.start({ [TOKEN]: LIST });
  closing.push(() => upstream.close());
  const relay = await startTestRelay(upstream.url, { tokens: [TOKEN], isStreaming: true, refreshMs: 100 });
  closing.push(() => relay.close());
  const isStreaming = async () => {
    await until(
      () => upstream.isOpen(TOKEN),
      (isOpen) => isOpen,
    );
    upstream.hydrate(TOKEN, LIST);
    await until(
      () => relay.relay.status().streaming,
      (count) => count === 1,
    );
  };
  await isStreaming();
  upstream.cut(TOKEN);
  await isStreaming();
  // Upstream is still starting.
  upstream.streamStatus = 503;
  upstream.cut(TOKEN);
  const asked = upstream.asked.get(TOKEN) ?? 0;
  await until(
    () => upstream.asked.get(TOKEN) ?? 0,
    (count) => count > asked + 3,
  );
  upstream.streamStatus = 200;
  await isStreaming();
  expect(relay.relay.status().failing).toBe(0);
});

it('asks an upstream that has no streams for lists only', async () => {
  const upstream = await ScriptedUpstream.start({ [TOKEN]: LIST });
  closing.push(() => upstream.close());
  upstream.streamStatus = 404;
  const relay = await startTestRelay(upstream.url, { tokens: [TOKEN], isStreaming: true, refreshMs: 50 });
  closing.push(() => relay.close());
  await until(
    () => upstream.asked.get(TOKEN) ?? 0,
    (count) => count > 3,
  );
  upstream.streamStatus = 200;
  await until(
    () => upstream.asked.get(TOKEN) ?? 0,
    (count) => count > 8,
  );
  expect(upstream.isOpen(TOKEN)).toBe(false);
  expect(relay.relay.status()).toMatchObject({ streaming: 0, failing: 0 });
});

it('asks for the list when each stream begins with what it cannot apply', async () => {
  const upstream = await ScriptedUpstream.start({ [TOKEN]: LIST });
  closing.push(() => upstream.close());
  upstream.firstEvents = [{ type: 'hydration', eventId: 1, features: 'no list', segments: [] }];
  let sendLists = () => {};
  upstream.sending = new Promise((resolve) => {
    sendLists = resolve;
  });
  const relay = await startTestRelay(upstream.url, { tokens: [TOKEN], isStreaming: true, refreshMs: 50 });
  closing.push(() => relay.close());
  const askedMoreThan = (times: number) =>
    until(
      () => upstream.asked.get(TOKEN) ?? 0,
      (count) => count > times,
    );
  await askedMoreThan(0);
  expect(relay.relay.status().syncedAt).toBeNull();
  sendLists();
  await askedMoreThan(2);
  await until(
    () => relay.relay.status(),
    ({ failing }) => failing === 0,
  );
  expect(relay.relay.status().streaming).toBe(0);
});
