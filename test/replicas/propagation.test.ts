import { afterEach, describe, expect, it } from 'vitest';
import { Fleet, until } from './fleet.ts';

describe('How far a change has come among replicas', { timeout: 120_000 }, () => {
  let fleet: Fleet;

  afterEach(() => fleet.dispose());

  it('is told by each as one, whichever of them an SDK asked', async () => {
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
    await until(async () => (await spread(second)).connected === 1, 'the other replica knows who is connected');

    const path = '/api/admin/projects/default/features/flag/environments/development/on';
    const waiting = first.call('POST', path, { headers: { 'burgee-wait': '100%; timeout=14' } });
    await until(
      async () => (await second.poll({ ...sdk, 'if-none-match': etag })).status === 200,
      'the change is there',
    );
    const done = await waiting;
    expect([done.status, done.headers.get('burgee-propagated')]).toEqual([200, '100%']);
    const revision = done.headers.get('burgee-revision') ?? '';
    for (const replica of fleet.replicas) {
      await until(async () => (await spread(replica, revision)).have === 1, 'it is known who has it');
      expect(await spread(replica, revision)).toMatchObject({ connected: 1, concerned: 1, have: 1, lagging: [] });
    }
  });
});
