import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import type { Caller } from '../../../src/model/caller.ts';
import { Flags, INVALID, is } from '../../support/flags.ts';
import { BrowserStream, type Toggle } from '../../support/http/browser-stream.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, startTestService, useService } from '../../support/service.ts';

const EVERYWHERE = { environment: 'development' };

const service = useService(() => ({ clock: { ...systemClock, nowMs: () => nowMs } }));
let flags: Flags;
let nowMs = Date.parse('2026-03-01T12:00:00.000Z');
const open: BrowserStream[] = [];

beforeAll(async () => {
  flags = new Flags(service);
});

afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

interface Opening {
  readonly token?: string;
  readonly known?: BrowserStream;
  readonly url?: string;
}

async function listen(query: string, { token = FRONTEND_TOKEN, known, url = service.url }: Opening = {}) {
  const stream = await BrowserStream.open(url, query, { authorization: token }, known);
  open.push(stream);
  await stream.until(() => stream.stream.events.length > 0);
  return stream;
}

const flagFor = (constraints: readonly object[], strategy: object = {}) => flags.createFor(constraints, strategy);

const turn = (featureName: string, on: boolean) =>
  flags.call(`toggleFeatureEnvironment${on ? 'On' : 'Off'}`, { featureName, ...EVERYWHERE });

async function asked(query: string): Promise<readonly Toggle[]> {
  const { body } = await service.call('getFrontendFeatures', { query });
  return [...body.toggles].sort((one: Toggle, other: Toggle) => (one.name < other.name ? -1 : 1));
}

describe('GET /api/frontend/streaming', () => {
  it('sends all flags first, and then those that change', async () => {
    const query = 'userId=first';
    const name = await flagFor([is('userId', 'first')]);
    const stream = await listen(query);
    expect(stream.stream.last).toMatchObject({ event: 'unleash-connected', data: { connection: stream.connection } });
    expect(stream.connection).not.toBe('');
    expect(stream.toggles).toEqual(await asked(query));
    expect(stream.names).toContain(name);
    await turn(name, false);
    await stream.until(() => !stream.names.includes(name));
    expect(stream.stream.last).toMatchObject({ event: 'unleash-updated', data: { toggles: [], removed: [name] } });
    await turn(name, true);
    await stream.until(() => stream.names.includes(name));
    expect(stream.toggles).toEqual(await asked(query));
    expect(stream.stream.events).toHaveLength(3);
  });

  it('sends no event for changes that make no difference to the caller', async () => {
    const name = await flagFor([is('userId', 'loud')]);
    const mine = await flagFor([is('userId', 'quiet')]);
    await turn(name, false);
    await turn(mine, false);
    // Streams get each version in the order in which they were opened. A stream that is more than one version behind can be sent flags that are off for
    // it, so each change waits until the last stream has the change before it.
    const stream = await listen('userId=quiet');
    const other = await listen('userId=loud');
    await turn(name, true);
    await other.until(() => other.names.includes(name));
    await turn(name, false);
    await other.until(() => !other.names.includes(name));
    await turn(mine, true);
    await stream.until(() => stream.names.includes(mine));
    expect(stream.stream.events).toHaveLength(2);
    expect(other.stream.events.map(({ event }) => event)).toEqual([
      'unleash-connected',
      'unleash-updated',
      'unleash-updated',
    ]);
  });

  it('sends changes of segments, variants, parents and archived flags', async () => {
    const query = 'userId=all&properties[plan]=gold';
    const segment = (await flags.call('createSegment', {}, { name: 'gold', constraints: [is('plan', 'gold')] })).body;
    const segmented = await flagFor([is('userId', 'all')], { segments: [segment.id] });
    const parent = await flagFor([is('userId', 'all')]);
    const child = await flagFor([is('userId', 'all')]);
    const stream = await listen(query);
    expect(stream.names).toEqual(expect.arrayContaining([segmented, parent, child]));
    await flags.call('updateSegment', { id: segment.id }, { name: 'gold', constraints: [is('plan', 'silver')] });
    await stream.until(() => !stream.names.includes(segmented));
    await flags.call('addFeatureDependency', { child }, { feature: parent });
    await turn(parent, false);
    await stream.until(() => !stream.names.includes(child) && !stream.names.includes(parent));
    await turn(parent, true);
    await stream.until(() => stream.names.includes(child) && stream.names.includes(parent));
    const variants = [{ name: 'red', weight: 1000, weightType: 'variable', stickiness: 'default' }];
    const [{ id }] = (await flags.environment(parent)).strategies;
    const strategy = { name: 'default', parameters: {}, constraints: [], variants };
    await flags.call('updateFeatureStrategy', { featureName: parent, ...EVERYWHERE, strategyId: id }, strategy);
    await stream.until(() => stream.toggles.some(({ name, variant }) => name === parent && variant.name === 'red'));
    await flags.call('archiveFeature', { featureName: child });
    await stream.until(() => !stream.names.includes(child));
    expect(stream.toggles).toEqual(await asked(query));
  });

  it('uses the context that was set last, and keeps no answer for an earlier context', async () => {
    await flagFor([is('userId', 'held')]);
    const stream = await listen('userId=held&sessionId=held');
    const { frontendStreams } = service.running.services;
    await stream.until(() => frontendStreams.bufferedBytes === 0);
    const caller = { token: { secret: FRONTEND_TOKEN }, kind: 'frontend', scope: EVERYWHERE } as unknown as Caller;
    const give = (userId: string) =>
      frontendStreams.replaceContext(caller, stream.connection, { userId, sessionId: 'held' }, '127.0.0.1');
    // Both are set before an answer is made.
    expect([give('other'), give('held')]).toEqual([true, true]);
    const next = await flagFor([is('userId', 'held')]);
    await stream.until(() => stream.names.includes(next));
    expect(frontendStreams.bufferedBytes).toBe(0);
  });

  it('continues with another context when the client sets one', async () => {
    const [one, two] = [await flagFor([is('userId', 'one')]), await flagFor([is('userId', 'two')])];
    const stream = await listen('userId=one');
    expect(stream.names).toContain(one);
    const body = { connection: stream.connection, context: { userId: 'two' } };
    expect((await service.call('setFrontendStreamContext', { body })).status).toBe(200);
    await stream.until(() => stream.names.includes(two));
    expect(stream.stream.last.event).toBe('unleash-connected');
    expect(stream.toggles).toEqual(await asked('userId=two'));
    await turn(two, false);
    await stream.until(() => !stream.names.includes(two));
    // It is refused for streams of another token, for closed streams, and for invalid contexts.
    const tokenBody = { type: 'frontend', tokenName: 'other', environment: 'development', projects: ['*'] };
    const token = (await flags.call('createApiToken', {}, tokenBody)).body.secret;
    expect((await service.call('setFrontendStreamContext', { body, token })).status).toBe(404);
    await flags.refused('setFrontendStreamContext', INVALID, { body: { ...body, context: { currentTime: 'noon' } } });
    const large = {
      ...body,
      context: Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, 'x'.repeat(4_000)])),
    };
    await flags.refused('setFrontendStreamContext', INVALID, { body: large });
    stream.close();
    await expect
      .poll(async () => (await service.call('setFrontendStreamContext', { body })).status, { timeout: 20_000 })
      .toBe(404);
  });

  it('sends a client that reconnects only the changes that it has missed', async () => {
    const query = 'userId=back';
    const [kept, changed] = [await flagFor([is('userId', 'back')]), await flagFor([is('userId', 'back')])];
    const witness = await listen('userId=witness');
    const first = await listen(query);
    first.close();
    const same = await listen(query, { known: first });
    expect(same.stream.last).toMatchObject({ event: 'unleash-updated', data: { toggles: [], removed: [] } });
    expect(same.connection).not.toBe(first.connection);
    same.close();
    await turn(changed, false);
    const missed = await listen(query, { known: same });
    expect(missed.stream.last).toMatchObject({ event: 'unleash-updated', data: { toggles: [], removed: [changed] } });
    expect(missed.names).toContain(kept);
    expect(missed.toggles).toEqual(await asked(query));
    // With another context the client cannot use its earlier flags.
    const other = await listen('userId=other', { known: missed });
    expect(other.stream.last.event).toBe('unleash-connected');
    expect(other.toggles).toEqual(await asked('userId=other'));
    const unknown = await listen(query, {});
    expect(unknown.stream.last.event).toBe('unleash-connected');
    // A position alone is not enough: an id that the service never sent gets everything.
    const position = `=${unknown.stream.last.id.slice(0, unknown.stream.last.id.lastIndexOf(':'))}`;
    const made = await BrowserStream.open(service.url, query, {
      authorization: FRONTEND_TOKEN,
      'last-event-id': position,
    });
    open.push(made);
    await made.until(() => made.stream.events.length > 0);
    expect(made.stream.last.event).toBe('unleash-connected');
    witness.close();
  });

  it('sends a change when the date of a constraint has passed', async () => {
    const at = new Date(nowMs + 60_000).toISOString();
    const name = await flagFor([
      is('userId', 'date'),
      { contextName: 'currentTime', operator: 'DATE_AFTER', value: at },
    ]);
    const ended = await flagFor([
      is('userId', 'date'),
      { contextName: 'currentTime', operator: 'DATE_BEFORE', value: at },
    ]);
    const stream = await listen('userId=date');
    // A time that the client sends does not advance.
    const fixed = await listen(`userId=date&currentTime=${at}`);
    expect(stream.names).toEqual(expect.arrayContaining([ended]));
    expect([fixed.names.includes(name), fixed.names.includes(ended)]).toEqual([false, false]);
    nowMs += 60_001;
    await stream.until(() => stream.names.includes(name) && !stream.names.includes(ended));
    expect(stream.toggles).toEqual(await asked('userId=date'));
    expect(fixed.stream.events).toHaveLength(1);
  });

  it('draws random values once for a stream: they stay while it is open, and after a reconnect', async () => {
    const rollout = { name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'random', groupId: 'g' } };
    const name = await flagFor([is('userId', 'random')], rollout);
    const stream = await listen('userId=random');
    const isIn = stream.names.includes(name);
    for (let round = 0; round < 5; round++) {
      await turn(name, false);
      const marker = await flagFor([is('userId', 'random')]);
      await stream.until(() => stream.names.includes(marker) && !stream.names.includes(name));
      await turn(name, true);
      const next = await flagFor([is('userId', 'random')]);
      await stream.until(() => stream.names.includes(next));
      expect(stream.names.includes(name)).toBe(isIn);
    }
    stream.close();
    const again = await listen('userId=random', { known: stream });
    expect(again.names.includes(name)).toBe(isIn);
  });

  it('ends when its token is deleted', async () => {
    const tokenBody = { type: 'frontend', tokenName: 'ends', environment: 'development', projects: ['default'] };
    const token = (await flags.call('createApiToken', {}, tokenBody)).body.secret;
    const stream = await listen('userId=ends', { token });
    expect(stream.stream.retryMs).toBeGreaterThanOrEqual(1_000);
    await flags.call('deleteApiToken', { token });
    await stream.stream.end();
  });

  it('needs a frontend token and a valid context, and allows pages of other origins', async () => {
    const ask = (headers: Record<string, string>, query = '') =>
      fetch(`${service.url}/api/frontend/streaming${query}`, { headers });
    expect((await ask({})).status).toBe(401);
    expect((await ask({ authorization: CLIENT_TOKEN })).status).toBe(403);
    const refused = await ask({ authorization: FRONTEND_TOKEN, origin: 'https://a.example' }, '?currentTime=noon');
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([400, '*']);
    const stream = await listen('userId=origin');
    expect(stream.stream.headers.get('access-control-allow-origin')).toBe('*');
    for (const path of ['/api/frontend/streaming', '/api/frontend/streaming/context']) {
      const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
      const preflight = await fetch(`${service.url}${path}`, { method: 'OPTIONS', headers });
      expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    }
  });
});

describe('a restart', () => {
  it('ends the streams; a client that reconnects with its flags is sent none again', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'burgee-browsers-'));
    const first = await startTestService({ directory });
    const own = new Flags(first);
    const featureName = await own.create();
    await own.call('toggleFeatureEnvironmentOn', { featureName, ...EVERYWHERE });
    const stream = await listen('userId=restart', { url: first.url });
    expect(stream.names).toEqual([featureName]);
    await first.close();
    await stream.stream.end();
    const second = await startTestService({ directory });
    const back = await listen('userId=restart', { url: second.url, known: stream });
    expect(back.stream.last).toMatchObject({ event: 'unleash-updated', data: { toggles: [], removed: [] } });
    back.close();
    await second.close();
    await rm(directory, { recursive: true, force: true });
  });
});
