import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventStream } from '../support/http/event-stream.ts';
import { FRONTEND_TOKEN } from '../support/service.ts';
import type { Replica } from './fleet.ts';
import { type FleetHere, startFleetHere } from './fleet-here.ts';

const ENVIRONMENT = {
  INIT_FRONTEND_API_TOKENS: FRONTEND_TOKEN,
  SECRETS_KEY: 'a'.repeat(32),
  REQUEST_LOGGER_ENABLE: 'true',
  MIN_REVISION_WAIT_MS: '300',
  LOG_LEVEL: 'info',
};

interface News {
  readonly type: string;
  readonly etag?: string;
}

let fleet: FleetHere;

beforeAll(async () => {
  fleet = await startFleetHere(2, ENVIRONMENT);
});

afterAll(() => fleet?.dispose());

const all = (replica: Replica, query = '') =>
  replica.call('POST', `/ofrep/v1/evaluate/flags${query}`, { body: {}, headers: { authorization: FRONTEND_TOKEN } });

const listen = (replica: Replica, path: string, lastEventId = '') =>
  EventStream.open<News>(replica.url + path, lastEventId === '' ? {} : { 'last-event-id': lastEventId });

describe('The stream of OFREP among replicas', { timeout: 120_000 }, () => {
  it('has the same address on each, says on one what was changed on another, and goes on after a restart', async () => {
    const [first, second] = [fleet.at(0), fleet.at(1)];
    const { headers } = await first.create('one');
    await second.poll({ 'burgee-min-revision': headers.get('burgee-revision') ?? '' });
    const answers = [await all(first), await all(second)] as const;
    expect(answers[1].headers.get('etag')).toBe(answers[0].headers.get('etag'));
    expect(answers[1].json.eventStreams).toEqual(answers[0].json.eventStreams);
    const path: string = answers[0].json.eventStreams[0].endpoint.requestUri;
    const stream = await listen(second, path);
    await first.create('two');
    await stream.until(() => stream.events.length > 0);
    const { data } = stream.last;
    for (const replica of [first, second]) {
      const { json } = await all(replica, `?flagConfigEtag=${data.etag}`);
      expect(json.flags.map(({ key }: { readonly key: string }) => key)).toContain('two');
    }
    const { lastId } = stream;
    await second.end();
    await second.start();
    const back = await listen(second, path, lastId);
    await first.create('three');
    await back.until(() => back.events.length > 0);
    expect(back.last.data.etag).not.toBe(data.etag);
    back.close();
    const key = new URLSearchParams(path.slice(path.indexOf('?'))).get('key') ?? '';
    expect(key).toMatch(/^[\w-]{16}\.\w+\.[\w-]{22}$/);
    expect(second.log).toContain('/ofrep/v1/events');
    for (const { log } of fleet.replicas) expect(log).not.toContain(key);
  });

  it('waits for the flags of an event, with a limit, unless they are of another history', async () => {
    const { json } = await all(fleet.at(0));
    const [, number, rest] = /^(\d+)(-.*)$/.exec(etagOf(json)) ?? [];
    const later = `${Number(number) + 1_000}${rest}`;
    const late = await all(fleet.at(0), `?flagConfigEtag=${later}`);
    expect([late.status, etagOf(late.json)]).toEqual([200, etagOf(json)]);
    const awaited = all(fleet.at(1), `?flagConfigEtag=${Number(number) + 1}${rest}`);
    await fleet.at(0).create('four');
    const found = (await awaited).json.flags.map(({ key }: { readonly key: string }) => key);
    expect(found).toContain('four');
    for (const other of [`${later}x`, '999999-00000000.another', 'anything', '']) {
      expect((await all(fleet.at(0), `?flagConfigEtag=${other}`)).status).toBe(200);
    }
  });
});

/** The position of the flags in an answer. */
function etagOf(body: { readonly eventStreams: readonly { readonly endpoint: { readonly requestUri: string } }[] }) {
  const path = body.eventStreams[0]?.endpoint.requestUri ?? '';
  return new URLSearchParams(path.slice(path.indexOf('?'))).get('from') ?? '';
}
