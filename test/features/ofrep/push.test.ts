import { createHmac, hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { invalid, Rejection, unavailable } from '../../../src/base/rejection.ts';
import { ofrepPushEndpoints } from '../../../src/features/ofrep/push-routes.ts';
import { UNAUTHENTICATED } from '../../../src/http/authentication.ts';
import { Flags } from '../../support/flags.ts';
import { EventStream } from '../../support/http/event-stream.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, startTestService, type TestService, useService } from '../../support/service.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

interface News {
  readonly type: string;
  readonly etag?: string;
  readonly lastModified?: number;
}

const service = useService(() => ({ clock: { ...systemClock, nowMs: () => nowMs } }));
let flags: Flags;
let nowMs = Date.parse('2026-03-01T12:00:00.000Z');
const open: EventStream<News>[] = [];

beforeAll(() => {
  flags = new Flags(service);
});

afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

const all = (headers = {}, token = FRONTEND_TOKEN, from: Pick<TestService, 'call'> = service) =>
  from.call('ofrepEvaluateFlags', { body: { context: {} }, headers, token });

/** The address of the stream in an answer, as the web provider reads it. */
function addressIn(
  body: { readonly eventStreams: readonly { endpoint: { requestUri: string } }[] },
  url = service.url,
) {
  expect(body.eventStreams).toEqual([{ type: 'sse', endpoint: { requestUri: expect.any(String) } }]);
  return new URL(body.eventStreams[0]?.endpoint.requestUri ?? '', new URL(url).origin).href;
}

/** Opens the address as a browser does: without a token. */
async function listen(address: string, lastEventId = ''): Promise<EventStream<News>> {
  const headers: Record<string, string> = lastEventId === '' ? {} : { 'last-event-id': lastEventId };
  const stream = await EventStream.open<News>(address, headers);
  open.push(stream);
  return stream;
}

const address = async (token = FRONTEND_TOKEN) => addressIn((await all({}, token)).body);

/** Makes one change that every answer for development shows. */
const change = () => flags.create();

const eventsOf = (stream: EventStream<News>, count: number) => stream.until(() => stream.events.length >= count);

async function frontendToken(projects: readonly string[]): Promise<string> {
  const token = { tokenName: 'push', type: 'frontend', environment: 'development', projects };
  return (await flags.call('createApiToken', {}, token)).body.secret;
}

/** Waits until the reader has been sent everything: the event with the flags after a change comes last. */
async function endOf(stream: EventStream<News>): Promise<readonly News[]> {
  await change();
  const newest = new URL(await address()).searchParams.get('from');
  await stream.until(() => stream.events.at(-1)?.data.etag === newest);
  return stream.events.slice(0, -1).map(({ data }) => data);
}

/** Opens the address of a reader that missed a change, and waits for the event that it gets at once. */
async function listenLate(address: string, lastEventId = ''): Promise<EventStream<News>> {
  const stream = await listen(address, lastEventId);
  await eventsOf(stream, 1);
  return stream;
}

describe('the stream of OFREP', () => {
  it('opens without a header, and says when flags of the token have changed', async () => {
    const { body, headers } = await all();
    const stream = await listen(addressIn(body));
    await change();
    await eventsOf(stream, 1);
    const { event, id, data } = stream.last;
    expect([event, data.type, data.lastModified]).toEqual(['message', 'refetchEvaluation', nowMs / 1_000]);
    expect(id.startsWith(`${data.etag}:`)).toBe(true);
    const again = await service.call('ofrepEvaluateFlags', {
      body: { context: {} },
      query: `flagConfigEtag=${data.etag}&flagConfigLastModified=${data.lastModified}`,
      headers: { 'if-none-match': headers.get('etag') ?? '' },
      token: FRONTEND_TOKEN,
    });
    expect([again.status, Number(again.body.metadata.version) > Number(body.metadata.version)]).toEqual([200, true]);
  });

  it('has an event for a change between the answer and the stream, and none if nothing changed', async () => {
    const first = await address();
    await change();
    expect(await endOf(await listenLate(first))).toHaveLength(1);
    expect(await endOf(await listen(await address()))).toEqual([]);
  });

  it('goes on where the reader was, by the id of the last event', async () => {
    const at = await address();
    const stream = await listen(at);
    await change();
    await eventsOf(stream, 1);
    const { lastId } = stream;
    expect(await endOf(await listen(at, lastId))).toEqual([]);
    expect(await endOf(await listenLate(at, lastId))).toHaveLength(1);
    expect(await endOf(await listenLate(at, 'anything'))).toHaveLength(1);
  });

  it('has events only for changes in the projects of the token', async () => {
    const mine = await flags.otherProject();
    const at = await address(await frontendToken([mine]));
    const stream = await listen(at);
    await change();
    await flags.create({}, mine);
    await eventsOf(stream, 1);
    expect(await endOf(await listen(await address()))).toEqual([]);
    expect(stream.events).toHaveLength(1);
  });

  it('has no event when a change leaves all flags as they are, and when the time passes', async () => {
    const stream = await listen(await address());
    const before = nowMs;
    nowMs += 1_000;
    await flags.call('createProject', {}, { id: flags.name('empty'), name: 'empty' });
    expect(await endOf(stream)).toEqual([]);
    nowMs = before;
  });

  it('has an event when a date in a rule passes', async () => {
    const value = new Date(nowMs + 60_000).toISOString();
    await flags.createFor([{ contextName: 'currentTime', operator: 'DATE_AFTER', value }]);
    const stream = await listen(await address());
    nowMs += 61_000;
    await eventsOf(stream, 1);
    expect(stream.last.data.type).toBe('refetchEvaluation');
  });

  it('may also be opened with the token, and needs one of both', async () => {
    const withToken = await EventStream.open<News>(`${service.url}/ofrep/v1/events`, { authorization: FRONTEND_TOKEN });
    open.push(withToken);
    await eventsOf(withToken, 1);
    for (const [headers, status] of [
      [{}, 401],
      [{ authorization: 'unknown' }, 401],
      [{ authorization: CLIENT_TOKEN }, 403],
    ] as const) {
      expect((await fetch(`${service.url}/ofrep/v1/events`, { headers })).status).toBe(status);
    }
  });
});

describe('the key in the address', () => {
  const keyIn = (at: string) => new URL(at).searchParams.get('key') ?? '';
  const withKey = (at: string, key: string) => {
    const url = new URL(at);
    url.searchParams.set('key', key);
    return url.href;
  };

  /** What a browser gets with an address that is not valid, first and when it comes back. */
  async function expectRefusal(at: string): Promise<void> {
    const first = await listen(at);
    await first.end();
    expect([first.events.map(({ data }) => data), first.lastId]).toEqual([[{ type: 'refetchEvaluation' }], 'refused']);
    expect((await fetch(at, { headers: { 'last-event-id': 'refused' } })).status).toBe(204);
  }

  it('does not contain the token, and opens no other route', async () => {
    const at = await address();
    expect(at).not.toContain('test-frontend');
    for (const key of [keyIn(at), encodeURIComponent(keyIn(at))]) {
      for (const path of ['/api/frontend', '/ofrep/v1/configuration', '/api/frontend/streaming'])
        expect((await fetch(`${service.url}${path}?key=${key}`, { headers: { authorization: key } })).status).toBe(401);
    }
  });

  it('is the same for every answer of a day, so that a provider keeps its stream and a 304 stays possible', async () => {
    const { headers, body } = await all();
    expect(keyIn(addressIn(body))).toBe(keyIn(await address()));
    expect((await all({ 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
    nowMs += DAY_MS;
    const next = await all({ 'if-none-match': headers.get('etag') ?? '' });
    expect(next.status).toBe(200);
    expect(keyIn(addressIn(next.body))).not.toBe(keyIn(addressIn(body)));
  });

  it('opens streams until it ends; then the browser is notified once, to get another address', async () => {
    const at = await address();
    nowMs += DAY_MS;
    expect(await endOf(await listen(at))).toHaveLength(0);
    nowMs += DAY_MS;
    await expectRefusal(at);
    const fresh = await listen(await address());
    await endOf(fresh);
  });

  it('is renewed by the ids of an open stream, which goes on and may reconnect after the key in the address has ended', async () => {
    const at = await address();
    const stream = await listen(at);
    nowMs += 3 * DAY_MS;
    await change();
    await eventsOf(stream, 1);
    const back = await listen(at, stream.lastId);
    expect(await endOf(back)).toEqual([]);
    await expectRefusal(at);
  });

  it.each([
    ['of an unknown token', (key: string) => `${key.startsWith('A') ? 'B' : 'A'}${key.slice(1)}`],
    ['with a later end', (key: string) => key.replace(/\.(\w+)\./, '.zzzz.')],
    ['with another signature', (key: string) => `${key.slice(0, -1)}${key.endsWith('A') ? 'Q' : 'A'}`],
    ['that is no key', () => 'anything'],
  ])('opens nothing when it is one %s', async (_name, changed) => {
    const at = await address();
    const forged = changed(keyIn(at));
    expect(forged).not.toBe(keyIn(at));
    await expectRefusal(withKey(at, forged));
    const stream = await listen(withKey(at, forged), `1-00000000:${forged}`);
    await stream.end();
    expect(stream.lastId).toBe('refused');
  });

  it('opens nothing when it has a later end than any that is made, even if the signature is right', async () => {
    const before = nowMs;
    nowMs += DAY_MS;
    const later = await address();
    nowMs = before;
    await expectRefusal(later);
  });

  it('does not exist without SECRETS_KEY if secrets are hashed, because lists of tokens show the hash', async () => {
    const other = await startTestService({ env: { API_TOKEN_SECRETS: 'hashed' } });
    const { body } = await all({}, FRONTEND_TOKEN, other);
    expect(body).not.toHaveProperty('eventStreams');
    const { tokens } = (await other.call('getAllApiTokens')).body;
    const { secret } = tokens.find(({ type }: { readonly type: string }) => type === 'frontend');
    const publicName = hash('sha256', `public name of ${secret}`, 'base64url').slice(0, 16);
    const end = (Math.floor(Date.now() / DAY_MS) + 2).toString(36);
    const hmac = createHmac('sha256', JSON.stringify(['', secret])).update(`OFREP stream until ${end}`);
    const forged = `${publicName}.${end}.${hmac.digest('base64url').slice(0, 22)}`;
    await expectRefusal(`${other.url}/ofrep/v1/events?key=${forged}`);
    await other.close();
  });

  it('ends with its token: the stream closes, and the address opens nothing more', async () => {
    const secret = await frontendToken(['*']);
    const at = await address(secret);
    const stream = await listen(at);
    await flags.call('deleteApiToken', { token: secret });
    await stream.end();
    await expectRefusal(at);
  });

  it('is the same after a restart, and another one with another SECRETS_KEY', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'burgee-push-'));
    const start = (secretsKey: string) =>
      startTestService({ directory, env: { SECRETS_KEY: secretsKey, API_TOKEN_SECRETS: 'hashed' } });
    // With hashed secrets, the process that opens the address has not seen the token.
    const first = await start('a'.repeat(32));
    const { body } = await all({}, FRONTEND_TOKEN, first);
    await first.close();
    const second = await start('a'.repeat(32));
    const stream = await listen(addressIn(body, second.url));
    const made = new Flags(second);
    await made.create();
    await eventsOf(stream, 1);
    expect(stream.events).toHaveLength(1);
    stream.close();
    await second.close();
    const third = await start('b'.repeat(32));
    await expectRefusal(addressIn(body, third.url));
    await third.close();
    await rm(directory, { recursive: true });
  });

  it('stands in an address with the path of the service, or of its public URL', async () => {
    for (const [env, path] of [
      [{ BASE_URI_PATH: '/flags' }, '/flags/ofrep/v1/events'],
      [{ UNLEASH_URL: 'https://proxy.example/apps/flags/' }, '/apps/flags/ofrep/v1/events'],
      [{ UNLEASH_URL: 'https://proxy.example' }, '/ofrep/v1/events'],
    ] as const) {
      const other = await startTestService({ env });
      const { body } = await all({}, FRONTEND_TOKEN, other);
      expect(new URL(addressIn(body, other.url)).pathname).toBe(path);
      expect(body.eventStreams[0].endpoint).not.toHaveProperty('origin');
      await other.close();
    }
  });
});

describe('a browser that cannot get its stream now', () => {
  const [{ refused }] = ofrepPushEndpoints;
  const request = { header: () => '', query: () => 'key=any' };

  it('is asked to come back, because it would never connect again after an error status', () => {
    const full = refused?.(new Rejection('TooManyRequestsError', 'full'), request);
    expect(full).toBe('retry: 60000\nevent: message\ndata: {"type":"refetchEvaluation"}\n\n');
    // Before the head of the request is read, and after.
    for (const head of [undefined, request]) expect(refused?.(unavailable('starting', 1), head)).toBe(':\n\n');
  });

  it('gets an error for a request that is wrong in itself', () => {
    expect(refused?.(invalid('wrong'), request)).toBeUndefined();
    expect(refused?.(UNAUTHENTICATED, { ...request, query: () => '' })).toBeUndefined();
  });
});
