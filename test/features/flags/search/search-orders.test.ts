import { get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { byText } from '../../../../src/base/lists/sorted.ts';
import { accepted } from '../../../support/admin.ts';
import { ADMIN_TOKEN, type TestService, useService } from '../../../support/service.ts';

const FLAGS = 1_250;
const PAGE = 250;

const TYPES = ['experiment', 'kill-switch', 'operational', 'permission', 'release'];

/** Imports flags in the order of their names, as an export has them. Their types rise and fall again, and every third one is on. */
async function importFlags(service: TestService, count: number): Promise<void> {
  const environment = 'development';
  const features = Array.from({ length: count }, (_, index) => ({
    name: `flag-${String(index).padStart(5, '0')}`,
    type: TYPES[Math.floor((Math.min(index, count - 1 - index) / count) * 2 * TYPES.length)],
    description: `The flag ${index}`,
    stale: index % 7 === 0,
  }));
  const featureEnvironments = features.map(({ name }, index) => ({
    name,
    featureName: name,
    environment,
    enabled: index % 3 === 0,
  }));
  const data = { features, featureStrategies: [], featureEnvironments };
  await accepted(service, 'importFeatures', { body: { project: 'default', environment, data } });
}

interface Found {
  readonly name: string;
  readonly type: string;
  readonly project: string;
  readonly createdAt: string;
  readonly lastSeenAt: string | null;
  readonly stale: boolean;
  readonly environments: readonly { readonly name: string; readonly enabled: boolean }[];
}

const FIELDS = 'type,project,createdAt,lastSeenAt,stale,environments';

/** What each `sortBy` sorts by, as a text that sorts in the same way. */
const KEYS: Readonly<Record<string, (flag: Found) => string>> = {
  name: ({ name }) => name,
  type: ({ type }) => type,
  project: ({ project }) => project,
  createdAt: ({ createdAt }) => createdAt,
  lastSeenAt: ({ lastSeenAt }) => lastSeenAt ?? '',
  stale: ({ stale }) => String(stale),
  'environment:development': ({ environments }) =>
    String(environments.some(({ name, enabled }) => name === 'development' && enabled)),
  none: ({ createdAt }) => createdAt,
};

type Next = (found: readonly Found[], cursor: string | undefined) => string | undefined;

/** The flags of one page after the other; `next` states where the next page begins, undefined at the end. */
async function walk(service: TestService, query: string, next: Next, fields = FIELDS): Promise<Found[]> {
  const found: Found[] = [];
  for (let from: string | undefined = ''; from !== undefined; ) {
    const { body } = await accepted(service, 'searchFeatures', {
      query: `${query}${from}&limit=${PAGE}&fields=${fields}`,
    });
    for (const flag of body.features) found.push(flag as Found);
    from = next(found, body.cursor);
  }
  return found;
}

const byOffset: Next = ({ length }) => (length > FLAGS ? undefined : `&offset=${length}`);
const byCursor: Next = (_found, cursor) => cursor && `&cursor=${cursor}`;

/** The body as it is sent, which is compressed. */
function compressed(url: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: ADMIN_TOKEN, 'accept-encoding': 'gzip' };
    get(url, { headers, agent: false }, async (answer) => {
      expect(answer.headers['content-encoding']).toBe('gzip');
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk as Buffer);
      resolve(Buffer.concat(chunks));
    }).on('error', reject);
  });
}

describe('a search after an import in the order of the names, behind one flag whose name is last', () => {
  const service = useService();
  beforeAll(async () => {
    await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'zebra' } });
    await importFlags(service, FLAGS);
  });

  const orders = Object.keys(KEYS).flatMap((sortBy) => ['asc', 'desc'].map((sortOrder) => ({ sortBy, sortOrder })));
  it.each(orders)('has every flag once and in order, by $sortBy, $sortOrder', async ({ sortBy, sortOrder }) => {
    const query = `sortBy=${sortBy}&sortOrder=${sortOrder}`;
    const keyOf = KEYS[sortBy] as (flag: Found) => string;
    const found = await walk(service, query, byOffset);
    expect(new Set(found.map(({ name }) => name)).size).toBe(FLAGS + 1);
    expect(new Set(found.map(keyOf)).size > 1).toBe(!['project', 'lastSeenAt'].includes(sortBy));
    const direction = sortOrder === 'asc' ? 1 : -1;
    const sorted = [...found].sort(
      (one, other) => direction * byText(keyOf(one), keyOf(other)) || byText(one.name, other.name),
    );
    const names = sorted.map(({ name }) => name);
    expect(found.map(({ name }) => name)).toEqual(names);
    expect((await walk(service, query, byCursor, 'name')).map(({ name }) => name)).toEqual(names);
  });
});

describe('a search among flags of 50 environments', () => {
  const service = useService();
  beforeAll(async () => {
    for (let index = 0; index < 48; index++) {
      const name = `environment-${index}`;
      await accepted(service, 'createEnvironment', { body: { name, type: 'production' } });
      await accepted(service, 'addEnvironmentToProject', {
        params: { projectId: 'default' },
        body: { environment: name },
      });
    }
    await importFlags(service, 1_000);
  });

  it('sends the fields that are asked for, at most 1 MB of them compressed', async () => {
    const ask = async (query: string) => {
      const bytes = await compressed(`${service.url}/api/admin/search/features?${query}`);
      return { bytes: bytes.length, ...JSON.parse(gunzipSync(bytes).toString()) };
    };
    const few = await ask('limit=1000&fields=name,type');
    expect(few.features).toHaveLength(1_000);
    expect(few.features[0]).toEqual({ name: 'flag-00000', type: 'experiment' });
    const wide = await ask('limit=1000&fields=name,environments');
    expect(wide.features).toHaveLength(1_000);
    expect(wide.features[0]?.environments).toHaveLength(50);
    for (const { bytes } of [few, wide, await ask('limit=100')]) expect(bytes).toBeLessThan(1_000_000);
  });
});
