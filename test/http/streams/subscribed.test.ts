import Type from 'typebox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { TrustedProxies } from '../../../src/base/network/trusted-proxies.ts';
import type { Channel, Frame } from '../../../src/base/queues/channel.ts';
import { routesOf, subscribed } from '../../../src/features/endpoint.ts';
import type { Services } from '../../../src/features/services.ts';
import { done } from '../../../src/http/answer.ts';
import { Authenticator, UNAUTHENTICATED } from '../../../src/http/authentication.ts';
import { HttpServer, type ServerOptions } from '../../../src/http/server.ts';
import { SUBSCRIBER_OPTIONS } from '../../../src/http/streams/subscribers.ts';
import { covers, type Scope } from '../../../src/model/caller.ts';
import { accepted } from '../../support/admin.ts';
import { bufferBytes } from '../../support/buffer-bytes.ts';
import { testFront } from '../../support/http/front.ts';
import { head, RawConnection } from '../../support/http/raw-http.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, useService } from '../../support/service.ts';

/** Revisions that a channel remembers. */
const RING_MAX = 8;

/** Stores the revisions of a scope, and counts the hydrations and frames that were requested. */
class ScopeRevisions implements Channel {
  readonly scope: Scope;
  readonly ring: number[];
  hydrations = 0;
  frames = 0;
  /** A hydration waits until it resolves. */
  gate: Promise<void> | undefined;
  /** Whether a delayed hydration has the revision of the time of its request. */
  isOvertaken = false;

  constructor(scope: Scope, seq: number) {
    this.scope = scope;
    this.ring = [seq];
  }

  get revision(): string {
    return String(this.ring.at(-1));
  }

  since(revision: string): Frame | null {
    const from = this.ring.indexOf(Number(revision));
    if (from < 0) return null;
    this.frames++;
    return this.#frame('changed', this.ring.slice(from + 1));
  }

  hydration(): Frame | Promise<Frame> {
    this.hydrations++;
    if (!this.gate) return this.#whole();
    const asked = Number(this.revision);
    return this.gate.then(() => this.#whole(this.isOvertaken ? asked : undefined));
  }

  #whole(revision = Number(this.revision)): Frame {
    return this.#frame('hydration', [revision]);
  }

  #frame(event: string, revisions: readonly number[]): Frame {
    const ballast = event === 'hydration' ? `data: ${'x'.repeat(ballastBytes)}\n` : '';
    const text = `event: ${event}\nid: ${revisions.at(-1)}\ndata: ${JSON.stringify(revisions)}\n${ballast}\n`;
    return { revision: String(revisions.at(-1)), bytes: Buffer.from(text) };
  }
}

/** Additional bytes of a hydration. */
let ballastBytes = 0;

const channels = new Map<Scope, ScopeRevisions>();

/** The number of servers that were started. */
let starts = 0;

/** A stream for this test only. Everything else is the real service. */
const streamRevisions = subscribed('GET /revisions', 'streamRevisions', {
  tag: 'Test',
  access: { permission: 'CLIENT' },
  summary: 'The revisions of the token’s scope, as they come',
  query: Type.Object({ kind: Type.Optional(Type.Union([Type.Literal('all')])) }),
  responses: { 200: { description: 'Events', contentType: 'text/event-stream' } },
  errors: [],
  channel({ caller: { scope } }, { state }) {
    let channel = channels.get(scope);
    if (!channel) {
      channel = new ScopeRevisions(scope, state.seq);
      channels.set(scope, channel);
    }
    return channel;
  },
  follow({ replica }, changed) {
    const started = starts;
    replica.onApplied(({ commit }) => {
      // The replica is of all tests, and has the listeners of earlier servers.
      if (started !== starts) return;
      for (const { ring, scope } of channels.values()) {
        const isTouched = commit.touched.some((key) => {
          const [environment, project = ''] = key.split('/');
          return environment === scope.environment && covers(scope, project);
        });
        if (!isTouched) continue;
        ring.push(commit.seq);
        if (ring.length > RING_MAX) ring.shift();
      }
      changed();
    });
  },
});

/** The same for browsers. */
const streamToBrowsers: typeof streamRevisions = {
  ...streamRevisions,
  operationId: 'streamToBrowsers',
  path: '/browser-revisions',
  access: { permission: 'FRONTEND' },
  follow: () => {},
};

/** The same for readers that never connect again after an error status. */
const streamByAddress: typeof streamRevisions = {
  ...streamToBrowsers,
  operationId: 'streamByAddress',
  path: '/by-address',
  access: { permission: 'FRONTEND', byAddress: true },
  identify: (request) => (request.query() === 'key=old' ? UNAUTHENTICATED : undefined),
  received: (request) => request.query().replace('from=', ''),
  refused: ({ name }, request) => (name === UNAUTHENTICATED.name ? null : `data: ${name} ${request?.query()}\n\n`),
};

/** A request that is answered when the test resolves `answered`. */
const slowRequest = routesOf('Test')('GET /slow', 'slow', {
  summary: 'Answered when it may be',
  access: { permission: 'CLIENT' },
  responses: { 200: { description: 'At last' } },
  handle: () => answered.promise.then(() => done()),
});
let answered = deferred();

/** Called when a stream is requested, before any work for it. */
let onAsked = () => {};

class NotifyingAuthenticator extends Authenticator {
  override authenticate(
    ...asked: Parameters<Authenticator['authenticate']>
  ): ReturnType<Authenticator['authenticate']> {
    onAsked();
    return super.authenticate(...asked);
  }
}

const service = useService();
let server: HttpServer<Services>;
let url: string;
const open: Stream[] = [];

async function start(options: Partial<ServerOptions> = {}, isOpen = true): Promise<void> {
  const { services } = service.running;
  channels.clear();
  starts++;
  ballastBytes = 0;
  onAsked = () => {};
  answered = deferred();
  server = new HttpServer(
    [streamRevisions, streamToBrowsers, streamByAddress, slowRequest],
    services,
    new NotifyingAuthenticator(services.tokens, { reader: services.state, anonymousClient: null }),
    silentLogger,
    {
      front: testFront(),
      host: '127.0.0.1',
      port: 0,
      sharePort: false,
      basePath: '',
      frontendOrigins: { current: [] },
      proxies: new TrustedProxies([]),
      logRequests: false,
      bodyLimitBytes: 1_000,
      importBodyLimitBytes: 1_000,
      handlerDeadlineMs: 60_000,
      drainMs: 60_000,
      ...options,
    },
  );
  url = `http://127.0.0.1:${await server.listen()}`;
  if (isOpen) server.open();
}

beforeEach(() => start());

afterEach(async () => {
  vi.useRealTimers();
  answered.resolve();
  for (const stream of open.splice(0)) stream.connection.destroy();
  await server.close();
});

interface Event {
  readonly event: string;
  readonly revisions: readonly number[];
}

/** A subscriber as bytes on a socket. */
class Stream {
  readonly connection: RawConnection;
  #text = '';
  #ended = false;
  #wake = () => {};

  private constructor(connection: RawConnection) {
    this.connection = connection;
    // The test reads no answer from it, and the listener would keep all bytes.
    connection.socket.removeAllListeners('data');
    connection.socket.on('data', (bytes: Buffer) => {
      this.#text += bytes.toString('latin1').replace(/x{100,}/g, '');
      this.#wake();
    });
    void connection.closed.then(() => {
      this.#ended = true;
      this.#wake();
    });
  }

  static async open(token: string, ...headers: string[]): Promise<Stream> {
    const stream = new Stream(await RawConnection.open(url));
    open.push(stream);
    stream.connection.write(head('GET /revisions HTTP/1.1', `authorization: ${token}`, ...headers));
    return stream;
  }

  /** The received text, without the sizes of chunks. */
  get text(): string {
    return this.#text.replace(/\r\n[0-9a-f]+\r\n/gi, '');
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.#text)?.[1]);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Whether the answer ended completely: the last chunk follows directly after a chunk that ends an event. */
  get whole(): boolean {
    return this.#text.endsWith('\n\n\r\n0\r\n\r\n');
  }

  get events(): Event[] {
    return [...this.text.matchAll(/event: (\w+)\nid: \d+\ndata: (\[[\d,]+\])\n/g)].map(([, event = '', data = '']) => ({
      event,
      revisions: JSON.parse(data),
    }));
  }

  get lastRevision(): number | undefined {
    return this.events.at(-1)?.revisions.at(-1);
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.#ended) throw new Error(`the stream ended before: ${this.#text.slice(0, 500)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

let flags = 0;

/** Changes the flags of the project. Returns the revision. */
async function change(projectId = 'default'): Promise<number> {
  const params = { projectId, featureName: `flag-${++flags}`, environment: 'development' };
  await accepted(service, 'createFeature', { params, body: { name: params.featureName } });
  const { headers } = await accepted(service, 'toggleFeatureEnvironmentOn', { params });
  return Number(headers.get('burgee-revision'));
}

async function makeToken(projects: readonly string[], expiresAt?: string): Promise<string> {
  const body = { type: 'client', tokenName: `token-${++flags}`, environment: 'development', projects, expiresAt };
  return (await accepted(service, 'createApiToken', { body })).body.secret;
}

describe('a subscribed route', () => {
  it('may have something else than an error for a refusal: an event, or no content', async () => {
    const answer = async (query: string) => {
      const { status, headers, body } = await fetch(`${url}/by-address?${query}`, {
        headers: { authorization: FRONTEND_TOKEN },
      });
      const { value } = (await body?.getReader().read()) ?? {};
      return [status, headers.get('content-type'), value ? Buffer.from(value).toString() : ''];
    };
    const events = 'text/event-stream; charset=utf-8';
    expect(await answer('key=old')).toEqual([204, null, '']);
    await server.close();
    await start({ subscribers: { ...SUBSCRIBER_OPTIONS, total: 0 } });
    expect(await answer('a=b')).toEqual([200, events, 'data: TooManyRequestsError a=b\n\n']);
    await server.close();
    await start({}, false);
    expect(await answer('a=b')).toEqual([200, events, 'data: ServiceUnavailableError undefined\n\n']);
  });

  it('sends every change to 50 connections, with one frame per change for all of them', async () => {
    const streams = await Promise.all(Array.from({ length: 50 }, () => Stream.open(CLIENT_TOKEN)));
    for (const stream of streams) await stream.until(() => stream.events.length > 0);
    const [channel] = [...channels.values()];
    expect(channels.size).toBe(1);
    expect(channel?.hydrations).toBe(1);
    let revision = 0;
    for (let count = 0; count < 20; count++) revision = await change();
    for (const stream of streams) {
      await stream.until(() => stream.lastRevision === revision);
      expect(stream.status).toBe(200);
      expect(stream.events[0]?.event).toBe('hydration');
      const receivedRevisions = stream.events.slice(1).flatMap(({ revisions }) => revisions);
      // Every revision, in order, each once.
      expect(receivedRevisions).toEqual([...new Set(receivedRevisions)].sort((left, right) => left - right));
      expect(receivedRevisions.length).toBeGreaterThanOrEqual(20);
    }
    expect(channel?.frames).toBeLessThan(100);
  });

  it('is not ended by the deadline of a request', async () => {
    const deadlineMs = 1_000;
    await server.close();
    await start({ handlerDeadlineMs: deadlineMs });
    const stream = await Stream.open(CLIENT_TOKEN);
    await stream.until(() => stream.events.length > 0);
    await new Promise((resolve) => setTimeout(resolve, deadlineMs + 200));
    const revision = await change();
    await stream.until(() => stream.lastRevision === revision);
  });

  it('sends to a scope only its own changes', async () => {
    await accepted(service, 'createProject', { body: { id: 'other', name: 'other' } });
    const mine = await Stream.open(await makeToken(['default']));
    const theirs = await Stream.open(await makeToken(['other']));
    const both = await Stream.open(await makeToken(['default', 'other']));
    for (const stream of [mine, theirs, both]) await stream.until(() => stream.events.length > 0);
    const inMine = await change('default');
    const inTheirs = await change('other');
    await both.until(() => both.lastRevision === inTheirs);
    await mine.until(() => mine.lastRevision === inMine);
    await theirs.until(() => theirs.lastRevision === inTheirs);
    expect(mine.events.flatMap(({ revisions }) => revisions)).not.toContain(inTheirs);
    expect(theirs.events.slice(1).flatMap(({ revisions }) => revisions)).not.toContain(inMine);
  });

  it('continues from Last-Event-ID if that is remembered, and starts with a hydration if it is not', async () => {
    const first = await Stream.open(CLIENT_TOKEN);
    await first.until(() => first.events.length > 0);
    const known = await change();
    const missed = await change();
    const resumed = await Stream.open(CLIENT_TOKEN, `last-event-id: ${known}`);
    await resumed.until(() => resumed.lastRevision === missed);
    expect(resumed.events[0]?.event).toBe('changed');
    const upToDate = await Stream.open(CLIENT_TOKEN, `last-event-id: ${missed}`);
    for (const wrong of ['1', 'nonsense', '']) {
      const anew = await Stream.open(CLIENT_TOKEN, `last-event-id: ${wrong}`);
      // The hydration may be the one that others got, followed by the changes since then.
      await anew.until(() => anew.lastRevision === missed);
      expect(anew.events[0]?.event).toBe('hydration');
    }
    const next = await change();
    await upToDate.until(() => upToDate.lastRevision === next);
    expect(upToDate.events[0]?.event).toBe('changed');
  });

  it('sends an outdated hydration once, and then a newer one', async () => {
    const first = await Stream.open(CLIENT_TOKEN);
    await first.until(() => first.events.length > 0);
    const channel = [...channels.values()][0] as ScopeRevisions;
    const asked = Number(channel.revision);
    const { promise, resolve } = deferred();
    channel.gate = promise;
    channel.isOvertaken = true;
    // The first subscriber is behind as well: no revision is remembered any more.
    channel.ring.splice(0, 100, asked);
    first.connection.destroy();
    await first.connection.closed;
    const late = await Stream.open(CLIENT_TOKEN, 'last-event-id: none');
    await late.until(() => late.status === 200);
    await expect.poll(() => channel.hydrations).toBe(2);
    for (let count = 0; count <= RING_MAX; count++) await change();
    channel.gate = undefined;
    resolve();
    const now = Number(channel.revision);
    await late.until(() => late.lastRevision === now);
    expect(late.events).toEqual([
      { event: 'hydration', revisions: [asked] },
      { event: 'hydration', revisions: [now] },
    ]);
  });

  it('lets slow readers fall behind, delays no other reader, and updates the slow readers in one frame', async () => {
    await server.close();
    // Large frames take long here, and new subscribers wait for them.
    await start({ handlerDeadlineMs: 30_000 });
    const fast = await Stream.open(CLIENT_TOKEN);
    await fast.until(() => fast.events.length > 0);
    const channel = [...channels.values()][0] as ScopeRevisions;
    const before = bufferBytes();
    ballastBytes = 12_000_000;
    channel.ring.splice(0, 100, -1);
    // All frames for them are large, and they do not read.
    const slow = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const stream = await Stream.open(CLIENT_TOKEN);
        stream.connection.socket.pause();
        return stream;
      }),
    );
    let revision = 0;
    for (let count = 0; count < 8; count++) {
      revision = await change();
      await fast.until(() => fast.lastRevision === revision);
    }
    // One at its start, and one when its revision was forgotten.
    expect(fast.events.filter(({ event }) => event === 'hydration').length).toBeLessThanOrEqual(2);
    const memory = bufferBytes() - before;
    ballastBytes = 0;
    for (const stream of slow) stream.connection.socket.resume();
    for (const stream of slow) await stream.until(() => stream.lastRevision === revision);
    for (const stream of slow) {
      // The events at its start, and then all the rest at once: not eight events.
      expect(stream.events.length).toBeLessThanOrEqual(3);
      stream.connection.destroy();
    }
    expect(memory).toBeLessThan(8 * 12_000_000);
  });

  it('ends a stream at the next check after its token was deleted or has expired; others continue', async () => {
    const { checkMs } = SUBSCRIBER_OPTIONS;
    // The documented limit is one second.
    expect(checkMs).toBeLessThan(1_000);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const expiresAtMs = Date.now() + 1_500;
    const deleted = await makeToken(['default']);
    const expiring = await makeToken(['default'], new Date(expiresAtMs).toISOString());
    const streams = await Promise.all([deleted, expiring, CLIENT_TOKEN].map((token) => Stream.open(token)));
    const [ofDeleted, ofExpiring, other] = streams as [Stream, Stream, Stream];
    for (const stream of streams) await stream.until(() => stream.events.length > 0);
    await accepted(service, 'deleteApiToken', { params: { token: deleted } });
    expect(server.streams).toBe(3);
    vi.advanceTimersByTime(checkMs);
    await ofDeleted.until(() => ofDeleted.whole);
    expect(server.streams).toBe(2);
    while (Date.now() < expiresAtMs) await new Promise((resolve) => setTimeout(resolve, 20));
    vi.advanceTimersByTime(checkMs);
    await ofExpiring.until(() => ofExpiring.whole);
    // The connection is still usable for another request.
    ofExpiring.connection.write(head('GET /revisions HTTP/1.1', `authorization: ${CLIENT_TOKEN}`));
    await ofExpiring.until(() => ofExpiring.text.split('HTTP/1.1 200').length === 3);
    ofExpiring.connection.destroy();
    while (server.streams > 1) await new Promise((resolve) => setTimeout(resolve, 5));
    const revision = await change();
    await other.until(() => other.lastRevision === revision);
    expect(other.ended).toBe(false);
    const again = await Stream.open(deleted);
    await again.until(() => again.status > 0);
    expect(again.status).toBe(401);
  });

  it('disconnects readers that read nothing for a minute, and keeps nothing for them', async () => {
    await server.close();
    const clock = new ManualClock();
    await start({ clock });
    const fast = await Stream.open(CLIENT_TOKEN);
    await fast.until(() => fast.events.length > 0);
    ballastBytes = 12_000_000;
    [...channels.values()][0]?.ring.splice(0, 100, -1);
    const slow = await Stream.open(CLIENT_TOKEN);
    await slow.until(() => slow.text !== '');
    slow.connection.socket.pause();
    let looks = 0;
    for (; server.streams > 1; looks++) {
      clock.advance(5_000);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(looks).toBeGreaterThan(12);
    expect(looks).toBeLessThan(1_000);
    const revision = await change();
    await fast.until(() => fast.lastRevision === revision);
    slow.connection.socket.resume();
    await slow.connection.closed;
    expect(slow.whole).toBe(false);
  });

  it('ends all connections when the server stops, slow readers too, and stops at once', async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => Stream.open(CLIENT_TOKEN)));
    for (const stream of streams) await stream.until(() => stream.events.length > 0);
    const channel = [...channels.values()][0] as ScopeRevisions;
    ballastBytes = 12_000_000;
    channel.ring.splice(0, 100, -1);
    const slow = await Stream.open(CLIENT_TOKEN);
    await slow.until(() => slow.status === 200);
    slow.connection.socket.pause();
    // If it waited for one of them, this would take a minute.
    await server.close();
    slow.connection.socket.resume();
    for (const stream of [...streams, slow]) await stream.connection.closed;
    for (const stream of streams) expect(stream.whole).toBe(true);
  });

  it('ends a hundred connections at a time when the server stops, and does not wait for other answers before that', async () => {
    await server.close();
    await start({ handlerDeadlineMs: 60_000 });
    const slow = await RawConnection.open(url);
    slow.write(head('GET /slow HTTP/1.1', `authorization: ${CLIENT_TOKEN}`));
    const streams = await Promise.all(Array.from({ length: 250 }, () => Stream.open(CLIENT_TOKEN)));
    for (const stream of streams) await stream.until(() => stream.events.length > 0);
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const closing = server.close();
    const left = [server.streams];
    while (server.streams > 0) {
      vi.advanceTimersToNextTimer();
      if (server.streams !== left.at(-1)) left.push(server.streams);
    }
    expect(left).toEqual([150, 50, 0]);
    vi.useRealTimers();
    for (const stream of streams) await stream.connection.closed;
    expect(streams.every(({ whole }) => whole)).toBe(true);
    expect(slow.unread).toBe('');
    answered.resolve();
    expect((await slow.answer())?.status).toBe(200);
    await closing;
  });

  it('refuses new subscribers while the server stops, with a status after which SDKs try again', async () => {
    await server.close();
    await start({ handlerDeadlineMs: 60_000 });
    const slow = await RawConnection.open(url);
    slow.write(head('GET /slow HTTP/1.1', `authorization: ${CLIENT_TOKEN}`));
    const late = await RawConnection.open(url);
    late.write(head('GET /nothing HTTP/1.1'));
    expect((await late.answer())?.status).toBe(404);
    const closing = server.close();
    late.write(head('GET /revisions HTTP/1.1', `authorization: ${CLIENT_TOKEN}`));
    const answer = await late.answer();
    // After 429, they would poll permanently.
    expect([answer?.status, answer?.headers.get('retry-after'), answer?.headers.get('connection')]).toEqual([
      503,
      '1',
      'close',
    ]);
    answered.resolve();
    await slow.answer();
    await closing;
  });

  it('refuses in the same way subscribers that waited for authentication when the server started to stop', async () => {
    const waiting = await Promise.all(Array.from({ length: 20 }, () => RawConnection.open(url)));
    for (const connection of waiting) {
      connection.write(head('GET /nothing HTTP/1.1'));
      await connection.answer();
    }
    let closing: Promise<void> | undefined;
    // While the first of them is authenticated, the others wait.
    onAsked = () => {
      closing ??= server.close();
    };
    for (const connection of waiting)
      connection.write(head('GET /revisions HTTP/1.1', `authorization: ${CLIENT_TOKEN}`));
    const answers = await Promise.all(waiting.map((connection) => connection.answer()));
    const statuses = new Set(answers.map((answer) => answer?.status));
    expect(statuses).toContain(503);
    expect(statuses).not.toContain(429);
    await closing;
  });

  it('counts the connections of browsers and of SDKs separately', async () => {
    await server.close();
    await start({ subscribers: { total: 2, each: 2, eachPerson: 2, keepAliveMs: 5_000, checkMs: 100 } });
    // The list keeps the answers alive: the connection of an answer without a reference may be closed.
    const browsers: Response[] = [];
    for (let count = 0; count < 3; count++)
      browsers.push(await fetch(`${url}/browser-revisions`, { headers: { authorization: FRONTEND_TOKEN } }));
    expect(browsers.map(({ status }) => status)).toEqual([200, 200, 429]);
    const sdks: number[] = [];
    for (let count = 0; count < 3; count++) {
      const stream = await Stream.open(CLIENT_TOKEN);
      await stream.until(() => stream.status > 0);
      sdks.push(stream.status);
    }
    expect(sdks).toEqual([200, 200, 429]);
    for (const answer of browsers) await answer.body?.cancel();
  });

  it('limits each token to its quota of connections', async () => {
    await server.close();
    await start({ subscribers: { total: 30, each: 20, eachPerson: 2, keepAliveMs: 5_000, checkMs: 100 } });
    const streams = await Promise.all(Array.from({ length: 25 }, () => Stream.open(CLIENT_TOKEN)));
    for (const stream of streams) await stream.until(() => stream.status > 0);
    expect(streams.filter(({ status }) => status === 429)).toHaveLength(5);
    const other = await Stream.open(await makeToken(['default']));
    await other.until(() => other.events.length > 0);
    expect(other.status).toBe(200);
    // The capacity of a closed connection is free again.
    const left = streams.find(({ status }) => status === 200);
    left?.connection.destroy();
    for (;;) {
      const another = await Stream.open(CLIENT_TOKEN);
      await another.until(() => another.status > 0);
      if (another.status === 200) break;
    }
  });

  it('builds a hydration once for all waiting subscribers, and does not block the event loop', async () => {
    let release = () => {};
    const first = await Stream.open(CLIENT_TOKEN);
    await first.until(() => first.events.length > 0);
    const channel = [...channels.values()][0] as ScopeRevisions;
    channel.gate = new Promise((resolve) => {
      release = resolve;
    });
    channel.ring.splice(0, 100, -1);
    const waiting = await Promise.all(Array.from({ length: 20 }, () => Stream.open(CLIENT_TOKEN)));
    for (const stream of waiting) await stream.until(() => stream.status === 200);
    expect(waiting.every(({ events }) => events.length === 0)).toBe(true);
    const made = channel.hydrations;
    // More changes happen meanwhile than the ring contains.
    for (let count = 0; count < RING_MAX + 2; count++) await change();
    release();
    for (const stream of waiting) await stream.until(() => stream.lastRevision === Number(channel.revision));
    expect(channel.hydrations - made).toBeLessThanOrEqual(2);
  });

  it('keeps silent connections alive', async () => {
    await server.close();
    await start({ subscribers: { total: 30, each: 20, eachPerson: 20, keepAliveMs: 50, checkMs: 20 } });
    const stream = await Stream.open(CLIENT_TOKEN);
    await stream.until(() => (stream.text.match(/^:$/gm)?.length ?? 0) > 5);
    const revision = await change();
    await stream.until(() => stream.lastRevision === revision);
  });

  it.each([
    ['no token', [], 401],
    ['a frontend token', ['authorization: *:development.test-frontend'], 403],
    ['an unknown query', [`authorization: ${CLIENT_TOKEN}`], 400, '?kind=none'],
  ] as readonly [string, string[], number, string?][])(
    'refuses %s with an ordinary answer',
    async (_name, headers, status, query = '') => {
      const connection = await RawConnection.open(url);
      connection.write(head(`GET /revisions${query} HTTP/1.1`, ...headers));
      const answer = await connection.answer();
      expect([answer?.status, answer?.headers.get('cache-control')]).toEqual([status, 'no-store']);
      connection.destroy();
    },
  );
});
