import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { applied, type DeltaEvent, type DeltaList, EMPTY_LIST, inOrder } from '../support/delta.ts';
import { Flags } from '../support/flags.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, startTestService, type TestService } from '../support/service.ts';

const DEVELOPMENT = { environment: 'development' };

let service: TestService;
let flags: Flags;
const open: EventStream[] = [];

beforeAll(async () => {
  service = await startTestService();
  flags = new Flags(service);
});

afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

afterAll(() => service.close());

interface StreamEvent {
  readonly event: string;
  readonly id: string;
  readonly data: { readonly events: readonly DeltaEvent[] };
}

/** Server-sent events, read as the standard says. */
class EventStream {
  readonly events: StreamEvent[] = [];
  /** What the service asks to be waited before coming back. */
  retryMs: number | undefined;
  ended = false;
  readonly #controller: AbortController;
  #wake = () => {};

  private constructor(body: ReadableStream<Uint8Array>, controller: AbortController) {
    this.#controller = controller;
    void this.#read(body).finally(() => {
      this.ended = true;
      this.#wake();
    });
  }

  static async open(token: string, lastEventId?: string, url = service.url): Promise<EventStream> {
    const controller = new AbortController();
    const answer = await fetch(`${url}/api/client/streaming`, {
      headers: { authorization: token, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
      signal: controller.signal,
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const stream = new EventStream(answer.body as ReadableStream<Uint8Array>, controller);
    open.push(stream);
    return stream;
  }

  get list(): DeltaList {
    return applied(
      EMPTY_LIST,
      this.events.flatMap(({ data }) => data.events),
    );
  }

  get lastId(): string {
    return this.events.at(-1)?.id ?? '';
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      expect(this.ended, 'the stream goes on').toBe(false);
      await this.#next();
    }
  }

  async end(): Promise<void> {
    while (!this.ended) await this.#next();
  }

  close(): void {
    this.#controller.abort();
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const bytes of body) {
        text += decoder.decode(bytes, { stream: true });
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          this.#take(text.slice(0, end).split('\n'));
          text = text.slice(end + 2);
        }
        this.#wake();
      }
    } catch {
      // Cut, by us or by the service.
    }
  }

  #take(lines: readonly string[]): void {
    const fields = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
    );
    if (fields.has('retry')) this.retryMs = Number(fields.get('retry'));
    const data = fields.get('data');
    if (data === undefined) return;
    this.events.push({ event: fields.get('event') ?? '', id: fields.get('id') ?? '', data: JSON.parse(data) });
  }
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
  it('tells everything first, then every change, which leads to the list that is polled', async () => {
    const stream = await EventStream.open(CLIENT_TOKEN);
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
    await stream.until(() => stream.list.segments.has(segment) && !stream.list.features.has(gone));
    expect(inOrder(stream.list)).toEqual(inOrder(await polled()));
    expect(stream.events.slice(1).every(({ event }) => event === 'unleash-updated')).toBe(true);
  });

  it('goes on where a reader was, by Last-Event-ID, and begins anew for one who was elsewhere', async () => {
    const first = await EventStream.open(CLIENT_TOKEN);
    await first.until(() => first.events.length > 0);
    first.close();
    const missed = await makeFlag();
    const again = await EventStream.open(CLIENT_TOKEN, first.lastId);
    await again.until(() => again.events.length > 0);
    expect(again.events[0]).toMatchObject({ event: 'unleash-updated' });
    expect(JSON.stringify(again.events[0]?.data)).toContain(missed);
    const stranger = await EventStream.open(CLIENT_TOKEN, '1:00000000');
    await stranger.until(() => stranger.events.length > 0);
    expect(stranger.events[0]?.event).toBe('unleash-connected');
  });

  it('tells one scope nothing of another', async () => {
    await flags.call('createProject', {}, { id: 'hidden', name: 'hidden' });
    const body = { type: 'client', tokenName: 'streaming', environment: 'development', projects: ['default'] };
    const { secret } = (await flags.call('createApiToken', {}, body)).body;
    const stream = await EventStream.open(secret);
    await stream.until(() => stream.events.length > 0);
    const hidden = await flags.create({}, 'hidden');
    await flags.call('toggleFeatureEnvironmentOn', { projectId: 'hidden', featureName: hidden, ...DEVELOPMENT });
    const seen = await makeFlag();
    await stream.until(() => stream.list.features.has(seen));
    expect(JSON.stringify(stream.events)).not.toContain(hidden);
  });

  it('ends with its token', async () => {
    const body = { type: 'client', tokenName: 'short-lived', environment: 'development', projects: ['*'] };
    const { secret } = (await flags.call('createApiToken', {}, body)).body;
    const stream = await EventStream.open(secret);
    await stream.until(() => stream.events.length > 0);
    await flags.call('deleteApiToken', { token: secret });
    await stream.end();
    expect((await fetch(`${service.url}/api/client/streaming`, { headers: { authorization: secret } })).status).toBe(
      401,
    );
  });

  it('asks each reader to come back at another time, and ends all of them when the service stops', async () => {
    const other = await startTestService();
    try {
      const streams = await Promise.all(
        Array.from({ length: 250 }, () => EventStream.open(CLIENT_TOKEN, undefined, other.url)),
      );
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
