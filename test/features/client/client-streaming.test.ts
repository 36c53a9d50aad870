import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Flags } from '../../support/flags.ts';
import { applied, type DeltaEvent, type DeltaList, EMPTY_LIST, inOrder } from '../../support/http/delta.ts';
import { EventStream } from '../../support/http/event-stream.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, startTestService, useService } from '../../support/service.ts';

const DEVELOPMENT = { environment: 'development' };

const service = useService();
let flags: Flags;
const open: EventStream<Data>[] = [];

beforeAll(async () => {
  flags = new Flags(service);
});

afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

type Data = { readonly events: readonly DeltaEvent[] };

/** Opens a stream with this token. It is closed after the test. */
async function follow(token: string, lastEventId?: string, url = service.url): Promise<EventStream<Data>> {
  const headers = { authorization: token, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
  const stream = await EventStream.open<Data>(`${url}/api/client/streaming`, headers);
  open.push(stream);
  return stream;
}

/** The list that a stream's events lead to. */
function listOf({ events }: EventStream<Data>): DeltaList {
  return applied(
    EMPTY_LIST,
    events.flatMap(({ data }) => data.events),
  );
}

async function polled(): Promise<DeltaList> {
  const answer = await fetch(`${service.url}/api/client/delta`, { headers: { authorization: CLIENT_TOKEN } });
  return applied(EMPTY_LIST, ((await answer.json()) as { events: DeltaEvent[] }).events);
}

/** A flag that is on. */
async function makeFlag(): Promise<string> {
  const featureName = await flags.create();
  await flags.call('toggleFeatureEnvironmentOn', { featureName, ...DEVELOPMENT });
  return featureName;
}

describe('GET /api/client/streaming', () => {
  it('sends everything first and then every change, which lead to the same list as polling', async () => {
    const stream = await follow(CLIENT_TOKEN);
    await stream.until(() => stream.events.length > 0);
    expect(stream.events[0]).toMatchObject({ event: 'unleash-connected', data: { events: [{ type: 'hydration' }] } });
    const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1'] }];
    const segment = (await flags.call('createSegment', {}, { name: 'streamed', constraints })).body.id;
    const kept = await makeFlag();
    const gone = await makeFlag();
    await flags.call(
      'addFeatureStrategy',
      { featureName: kept, ...DEVELOPMENT },
      { name: 'default', segments: [segment] },
    );
    await flags.call('archiveFeature', { featureName: gone });
    await stream.until(() => listOf(stream).segments.has(segment) && !listOf(stream).features.has(gone));
    expect(inOrder(listOf(stream))).toEqual(inOrder(await polled()));
    expect(stream.events.slice(1).every(({ event }) => event === 'unleash-updated')).toBe(true);
  });

  it('continues after the Last-Event-ID of the client, and sends everything for an unknown id', async () => {
    const first = await follow(CLIENT_TOKEN);
    await first.until(() => first.events.length > 0);
    first.close();
    const missed = await makeFlag();
    const again = await follow(CLIENT_TOKEN, first.last.id);
    await again.until(() => again.events.length > 0);
    expect(again.events[0]).toMatchObject({ event: 'unleash-updated' });
    expect(JSON.stringify(again.events[0]?.data)).toContain(missed);
    const stranger = await follow(CLIENT_TOKEN, '1:00000000');
    await stranger.until(() => stranger.events.length > 0);
    expect(stranger.events[0]?.event).toBe('unleash-connected');
  });

  it('sends nothing about flags of another scope', async () => {
    await flags.call('createProject', {}, { id: 'hidden', name: 'hidden' });
    const body = { type: 'client', tokenName: 'streaming', environment: 'development', projects: ['default'] };
    const { secret } = (await flags.call('createApiToken', {}, body)).body;
    const stream = await follow(secret);
    await stream.until(() => stream.events.length > 0);
    const hidden = await flags.create({}, 'hidden');
    await flags.call('toggleFeatureEnvironmentOn', { projectId: 'hidden', featureName: hidden, ...DEVELOPMENT });
    const seen = await makeFlag();
    await stream.until(() => listOf(stream).features.has(seen));
    expect(JSON.stringify(stream.events)).not.toContain(hidden);
  });

  it('ends when its token is deleted', async () => {
    const body = { type: 'client', tokenName: 'short-lived', environment: 'development', projects: ['*'] };
    const { secret } = (await flags.call('createApiToken', {}, body)).body;
    const stream = await follow(secret);
    await stream.until(() => stream.events.length > 0);
    await flags.call('deleteApiToken', { token: secret });
    await stream.end();
    expect((await fetch(`${service.url}/api/client/streaming`, { headers: { authorization: secret } })).status).toBe(
      401,
    );
  });

  it('sends each client another retry time, and ends all streams when the service stops', async () => {
    const other = await startTestService();
    try {
      const streams = await Promise.all(Array.from({ length: 250 }, () => follow(CLIENT_TOKEN, undefined, other.url)));
      for (const stream of streams) await stream.until(() => stream.events.length > 0);
      const times = new Set(streams.map(({ retryMs }) => retryMs));
      expect(times.size).toBe(250);
      for (const time of times) expect(time).toBeGreaterThanOrEqual(1_000);
      const stopped = other.close();
      for (const stream of streams) await stream.end();
      await stopped;
    } catch (error) {
      await other.close();
      throw error;
    }
  });

  it('refuses other kinds of tokens', async () => {
    for (const [token, status] of [
      [FRONTEND_TOKEN, 403],
      ['unknown', 401],
    ] as const) {
      const answer = await fetch(`${service.url}/api/client/streaming`, { headers: { authorization: token } });
      expect(answer.status).toBe(status);
      await answer.body?.cancel();
    }
  });
});
