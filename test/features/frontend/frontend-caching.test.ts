import { get as httpGet, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { UnleashClient } from 'unleash-proxy-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { flag, prepare } from '../../support/admin.ts';
import { Flags, is } from '../../support/flags.ts';
import { FRONTEND_TOKEN, startTestService, type TestService } from '../../support/service.ts';

const EVERYWHERE = { environment: 'development' };

let service: TestService;
let flags: Flags;
let nowMs = Date.parse('2026-03-01T12:00:00.000Z');
/** The number of random draws. */
let draws = 0;

beforeAll(async () => {
  const random = () => {
    draws++;
    return Math.random();
  };
  service = await startTestService({ clock: { ...systemClock, nowMs: () => nowMs }, random });
  flags = new Flags(service);
});

afterAll(() => service.close());

const flagFor = (constraints: readonly object[], strategy: object = {}) => flags.createFor(constraints, strategy);

const get = (query: string, known = '') =>
  service.call('getFrontendFeatures', { query, headers: known === '' ? {} : { 'if-none-match': known } });

const tagOf = async (query: string) => (await get(query)).headers.get('etag') ?? '';

describe('an answer of the frontend API', () => {
  it('is sent once: a client that has it gets a 304, on every path', async () => {
    const featureName = await flagFor([is('userId', 'tag')]);
    const ways = [
      'getFrontendFeatures',
      'getAllFrontendFeatures',
      'getProxyFeatures',
      'getAllProxyFeatures',
      'postFrontendFeatures',
      'postAllFrontendFeatures',
      'postProxyFeatures',
      'postAllProxyFeatures',
      'getFrontendFeature',
      'postFrontendFeature',
    ];
    for (const way of ways) {
      const asked = {
        params: { featureName },
        ...(way.startsWith('get') ? { query: 'userId=tag' } : { body: { userId: 'tag' } }),
      };
      const first = await service.call(way, asked);
      expect([first.status, first.headers.get('cache-control')], way).toEqual([200, 'private, no-cache']);
      const etag = first.headers.get('etag') ?? '';
      expect(etag).toMatch(/^W\/"[\w-]+"$/);
      const again = await service.call(way, { ...asked, headers: { 'if-none-match': etag } });
      expect([again.status, again.text, again.headers.get('etag')], way).toEqual([304, '', etag]);
      const others = await service.call(way, { ...asked, headers: { 'if-none-match': '"other"' } });
      expect(others.status, way).toBe(200);
    }
    const query = 'userId=tag';
    expect((await get(query, `"other", ${await tagOf(query)}`)).status).toBe(304);
    const missing = { params: { featureName: 'no-such-flag' }, headers: { 'if-none-match': '*' } };
    expect((await service.call('getFrontendFeature', missing)).status).toBe(404);
  });

  it('has another ETag for another context and after a visible change, and only then', async () => {
    const featureName = await flagFor([is('userId', 'seen')]);
    const query = 'userId=seen&sessionId=1';
    const etag = await tagOf(query);
    expect(await tagOf('userId=seen&sessionId=2')).not.toBe(etag);
    expect(await tagOf('userId=seen&sessionId=1&plan=x')).not.toBe(etag);
    await flags.call('toggleFeatureEnvironmentOn', { featureName, environment: 'production' });
    expect((await get(query, etag)).status).toBe(304);
    await flags.call('toggleFeatureEnvironmentOff', { featureName, ...EVERYWHERE });
    const changed = await get(query, etag);
    expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false]);
    expect(changed.body.toggles.map(({ name }: { name: string }) => name)).not.toContain(featureName);
    // The earlier ETag does not become valid again.
    await flags.call('toggleFeatureEnvironmentOn', { featureName, ...EVERYWHERE });
    expect((await get(query, etag)).status).toBe(200);
  });

  it('is not evaluated for a client that has it, and keeps its random result', async () => {
    const rollout = { name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'random', groupId: 'g' } };
    await flagFor([is('userId', 'drawn')], rollout);
    const before = draws;
    const first = await get('userId=drawn');
    // One for the session, and one for the rollout.
    expect(draws - before).toBeGreaterThanOrEqual(2);
    const known = first.headers.get('etag') ?? '';
    const between = draws;
    expect((await get('userId=drawn', known)).status).toBe(304);
    expect(draws - between).toBe(1);
  });

  it('changes when the date of a constraint has passed', async () => {
    const at = new Date(nowMs + 60_000).toISOString();
    const name = await flagFor([
      is('userId', 'date'),
      { contextName: 'currentTime', operator: 'DATE_AFTER', value: at },
    ]);
    const etag = await tagOf('userId=date');
    nowMs += 60_000;
    expect((await get('userId=date', etag)).status).toBe(304);
    nowMs += 1;
    const { status, body } = await get('userId=date', etag);
    expect(status).toBe(200);
    expect(body.toggles.map((toggle: { name: string }) => toggle.name)).toContain(name);
    // A time that the caller sends does not advance.
    const own = await tagOf(`userId=date&currentTime=${at}`);
    nowMs += 120_000;
    expect((await get(`userId=date&currentTime=${at}`, own)).status).toBe(304);
  });

  it('is revalidated by the unmodified unleash-proxy-client, which keeps its flags on a 304', async () => {
    const name = await flagFor([is('userId', 'client')]);
    const statuses: number[] = [];
    const client = new UnleashClient({
      url: `${service.url}/api/frontend`,
      clientKey: FRONTEND_TOKEN,
      appName: 'caching-test',
      disableRefresh: true,
      disableMetrics: true,
      context: { userId: 'client' },
      async fetch(...asked: Parameters<typeof fetch>) {
        const answer = await fetch(...asked);
        statuses.push(answer.status);
        return answer;
      },
      storageProvider: { save: async () => {}, get: async () => undefined },
    });
    try {
      await client.start();
      await client.updateToggles();
      expect([statuses, client.isEnabled(name)]).toEqual([[200, 304], true]);
      await flags.call('toggleFeatureEnvironmentOff', { featureName: name, ...EVERYWHERE });
      await client.updateToggles();
      expect([statuses, client.isEnabled(name)]).toEqual([[200, 304, 200], false]);
    } finally {
      client.stop();
    }
  });
});

/** The answer as it was sent, not decompressed. */
function packed(
  query: string,
  accepts: string,
): Promise<{ readonly headers: IncomingMessage['headers']; readonly body: Buffer }> {
  const headers = { authorization: FRONTEND_TOKEN, 'accept-encoding': accepts, origin: 'https://a.example' };
  return new Promise((resolve, reject) => {
    httpGet(`${service.url}/api/frontend?${query}`, { headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => resolve({ headers: answer.headers, body: Buffer.concat(parts) }));
    }).on('error', reject);
  });
}

describe('compression', () => {
  it.each([40, 1_200])('is used for clients that accept it, with %i flags', async (count) => {
    const userId = `many-${count}`;
    const constraints = [{ contextName: 'userId', operator: 'IN' as const, values: [userId] }];
    await prepare(service, (draft) => {
      for (let index = 0; index < count; index++) {
        const name = `many-${count}-${index}`;
        const strategy = { id: name, name: 'default', title: null, disabled: false, sortOrder: 0, parameters: {} };
        const strategies = [{ ...strategy, constraints, segments: [], variants: [] }];
        const environments = [{ environment: 'development', enabled: true, strategies, variants: [] }];
        draft.put('features', flag(name, { environments }));
      }
    });
    const query = `userId=${userId}`;
    const plain = await packed(query, 'identity');
    const gzip = await packed(query, 'gzip, br');
    expect([plain.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect(JSON.parse(plain.body.toString()).toggles).toHaveLength(count);
    expect(gzip.body.byteLength).toBeLessThan(plain.body.byteLength / 4);
    expect(gzip.headers.vary).toBe('authorization, accept-encoding');
    expect(gzip.headers['access-control-expose-headers']).toContain('ETag');
    expect(gzip.headers.etag).toBe(plain.headers.etag);
  });

  it('is not used for a small answer', async () => {
    const { headers, body } = await packed('userId=nobody', 'gzip');
    expect([headers['content-encoding'], JSON.parse(body.toString())]).toEqual([undefined, { toggles: [] }]);
  });
});
