import { get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../../support/admin.ts';
import { ADMIN_TOKEN, type TestService, useService } from '../../../support/service.ts';

const FLAGS = 5_000;
const PAGE = 1_000;

/** Imports flags in the order of their names, as an export has them. */
async function importFlags(service: TestService, count: number): Promise<void> {
  const features = Array.from({ length: count }, (_, index) => ({
    ...{ name: `flag-${String(index).padStart(5, '0')}`, type: 'release', description: `The flag ${index}` },
  }));
  const body = { project: 'default', environment: 'development', data: { features, featureStrategies: [] } };
  await accepted(service, 'importFeatures', { body });
}

/** Names of one page after the other. */
async function names(service: TestService, query: string, from: number, to: number): Promise<string[]> {
  const found: string[] = [];
  for (let offset = from; offset < to; offset += PAGE) {
    const { body } = await accepted(service, 'searchFeatures', {
      query: `${query}&offset=${offset}&limit=${PAGE}&fields=name`,
    });
    for (const { name } of body.features) found.push(name);
  }
  return found;
}

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

  const ORDERS = ['name', 'type', 'project', 'createdAt', 'lastSeenAt', 'stale', 'environment:development', 'none'];
  it.each(ORDERS.flatMap((sortBy) => ['asc', 'desc'].map((sortOrder) => ({ sortBy, sortOrder }))))(
    'has every flag once, by $sortBy, $sortOrder',
    async ({ sortBy, sortOrder }) => {
      const query = `sortBy=${sortBy}&sortOrder=${sortOrder}`;
      const found = await names(service, query, 0, FLAGS + 1);
      expect(found).toHaveLength(FLAGS + 1);
      expect(new Set(found).size).toBe(FLAGS + 1);
      if (sortBy !== 'name') return;
      const sorted = [...found].sort();
      expect(found).toEqual(sortOrder === 'asc' ? sorted : sorted.reverse());
    },
  );
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
    expect(few.features[0]).toEqual({ name: 'flag-00000', type: 'release' });
    const wide = await ask('limit=1000&fields=name,environments');
    expect(wide.features).toHaveLength(1_000);
    expect(wide.features[0]?.environments).toHaveLength(50);
    for (const { bytes } of [few, wide, await ask('limit=100')]) expect(bytes).toBeLessThan(1_000_000);
  });
});
