import { afterEach, describe, expect, it } from 'vitest';
import { BrowserStream } from '../support/http/browser-stream.ts';
import { EventStream } from '../support/http/event-stream.ts';
import { ADMIN_TOKEN, FRONTEND_TOKEN } from '../support/service.ts';
import { untilTrue } from '../support/until.ts';
import { Fleet } from './fleet.ts';

interface Streamed {
  readonly revision: number;
  readonly concerned: number;
  readonly final: boolean;
}

describe('The propagation of a change among replicas', { timeout: 120_000 }, () => {
  let fleet: Fleet;

  afterEach(() => fleet.dispose());

  it('counts an SDK once on every replica, whichever replica the SDK polled', async () => {
    fleet = await Fleet.start(2);
    const [first, second] = [fleet.at(0), fleet.at(1)];
    const sdk = { 'unleash-connection-id': 'one', 'unleash-appname': 'shop' };
    const registration = { appName: 'shop', connectionId: 'one' };
    expect((await first.call('POST', '/api/client/register', { body: registration })).status).toBe(202);
    const made = await first.create('flag');
    const level = { 'burgee-min-revision': made.headers.get('burgee-revision') ?? '' };
    const etag = (await second.poll({ ...sdk, ...level })).headers.get('etag') ?? '';
    const spread = async (at: typeof first, revision = 'latest') =>
      (await at.call('GET', `/api/admin/propagation/${revision}`)).json;
    await untilTrue(async () => (await spread(second)).connected === 1, 'the other replica has the connection');

    const path = '/api/admin/projects/default/features/flag/environments/development/on';
    const waiting = first.call('POST', path, { headers: { 'burgee-wait': '100%; timeout=14' } });
    await untilTrue(
      async () => (await second.poll({ ...sdk, 'if-none-match': etag })).status === 200,
      'the change is there',
    );
    const done = await waiting;
    expect([done.status, done.headers.get('burgee-propagated')]).toEqual([200, '100%']);
    const revision = done.headers.get('burgee-revision') ?? '';
    for (const replica of fleet.replicas) {
      await untilTrue(async () => (await spread(replica, revision)).have === 1, 'the SDK is reported to have it');
      expect(await spread(replica, revision)).toMatchObject({ connected: 1, concerned: 1, have: 1, lagging: [] });
    }
  });

  it('is streamed by every replica, with the SDKs of all', async () => {
    fleet = await Fleet.start(2);
    const [first, second] = [fleet.at(0), fleet.at(1)];
    const sdk = { 'unleash-connection-id': 'one', 'unleash-appname': 'shop' };
    await first.call('POST', '/api/client/register', { body: { appName: 'shop', connectionId: 'one' } });
    const etag = (await first.poll(sdk)).headers.get('etag') ?? '';
    // A change concerns the SDKs that a replica knows when the change arrives.
    const connected = async () => (await second.call('GET', '/api/admin/propagation/latest')).json.connected;
    await untilTrue(async () => (await connected()) === 1, 'the other replica has the connection');
    const headers = { authorization: ADMIN_TOKEN };
    const stream = await EventStream.open<Streamed>(`${second.url}/api/admin/propagation`, headers);
    const revision = Number((await first.create('flag')).headers.get('burgee-revision'));
    const newest = () => stream.events.findLast(({ data }) => data.revision === revision)?.data;
    await stream.until(() => newest()?.concerned === 1);
    expect(newest()).toMatchObject({ have: 0, slowest: { appName: 'shop', tookMs: null } });
    expect((await first.poll({ ...sdk, 'if-none-match': etag })).status).toBe(200);
    await stream.until(() => newest()?.final === true);
    expect(newest()).toMatchObject({ concerned: 1, have: 1, unknown: 0, share: 1 });
    stream.close();
  });

  it('counts the streams of browsers on every replica, and not those that have ended', async () => {
    fleet = await Fleet.start(2, { INIT_FRONTEND_API_TOKENS: FRONTEND_TOKEN });
    const streams = [];
    for (const { url } of fleet.replicas)
      streams.push(await BrowserStream.open(url, 'userId=7', { authorization: FRONTEND_TOKEN }));
    const { headers } = await fleet.at(0).create('flag');
    const path = '/api/admin/projects/default/features/flag/environments/development/on';
    const done = await fleet.at(1).call('POST', path, {
      headers: { 'burgee-wait': '100%; timeout=14', 'burgee-min-revision': headers.get('burgee-revision') ?? '' },
    });
    expect(done.headers.get('burgee-propagated')).toBe('100%');
    const revision = done.headers.get('burgee-revision');
    const counted = async (at = fleet.at(0)) => (await at.call('GET', `/api/admin/propagation/${revision}`)).json.have;
    for (const replica of fleet.replicas) await untilTrue(async () => (await counted(replica)) === 2, 'both have it');
    streams[1]?.close();
    for (const replica of fleet.replicas) await untilTrue(async () => (await counted(replica)) === 1, 'one has ended');
    streams[0]?.close();
  });
});
