import { beforeAll, describe, expect, it } from 'vitest';
import { Mulberry32 } from '../../../src/base/mulberry32.ts';
import { accepted, INVALID, refused } from '../../support/admin.ts';
import { changeAtRandom, FLAGS, PLACE, prepareProjects } from '../../support/random-changes.ts';
import { useService } from '../../support/service.ts';
import { atDepth } from '../../support/tiers/depth.ts';

const service = useService();

beforeAll(async () => {
  await prepareProjects(service);
});

/** What the past cannot know, or what depends on the caller and on usage. */
const UNRECORDED = new Set(['lastSeenAt', 'yes', 'no', 'lifecycle', 'favorite', 'updatedAt', 'changedAt']);

function recorded(value: unknown): unknown {
  if (Array.isArray(value)) return inOrder(value.map(recorded));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (UNRECORDED.has(key) ? [] : [[key, recorded(item)]])),
  );
}

/** Lists of entities have no order of their own. */
function inOrder(list: unknown[]): unknown[] {
  const nameOf = (item: unknown) => String((item as { name?: string } | null)?.name ?? '');
  return list.sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
}

interface Asked {
  readonly operationId: string;
  readonly params?: Readonly<Record<string, string>>;
}

const ASKED: readonly Asked[] = [
  ...FLAGS.map((featureName) => ({ operationId: 'getFeature', params: { projectId: 'default', featureName } })),
  { operationId: 'getFeatures', params: { projectId: 'default' } },
  { operationId: 'getFeatures', params: { projectId: 'other' } },
  { operationId: 'getSegments' },
  { operationId: 'getAllEnvironments' },
  { operationId: 'getEnvironment', params: { name: 'production' } },
  { operationId: 'getProjectEnvironments', params: { projectId: 'default' } },
  { operationId: 'getContextFields' },
];

async function answers(at?: number): Promise<unknown[]> {
  const found = [];
  for (const { operationId, params = {} } of ASKED) {
    const { status, body } = await service.call(operationId, {
      params,
      ...(at !== undefined && { query: `at=${at}` }),
    });
    found.push([operationId, params, status, status === 200 ? recorded(body) : null]);
  }
  return found;
}

describe('the past', () => {
  it('is answered as it was, at every revision, whatever was changed since', async () => {
    const first = service.running.services.state.seq;
    const random = new Mulberry32(20_261_124);
    const served = new Map<number, unknown>([[first, await answers()]]);
    while (served.size < atDepth({ quick: 15, full: 250 })) {
      await changeAtRandom(service, random);
      const { seq } = service.running.services.state;
      if (!served.has(seq)) served.set(seq, await answers());
    }
    for (const [revision, expected] of served) expect(await answers(revision), `at ${revision}`).toEqual(expected);
  });

  it('is answered in the same way again and again, while more is changed', async () => {
    const { state } = service.running.services;
    const random = new Mulberry32(20_261_129);
    // More moments than are kept for the next request.
    const moments: [revision: number, expected: unknown][] = [];
    for (let round = 0; round < atDepth({ quick: 6, full: 60 }); round++) {
      if (moments.length < 6) moments.push([state.seq, await answers()]);
      for (const [revision, expected] of moments) {
        expect(await answers(revision), `at ${revision}, from ${state.seq}`).toEqual(expected);
        if (random.next() < 0.5) await changeAtRandom(service, random);
      }
    }
  });

  it('is named by a revision or a time, and refused outside of what is recorded', async () => {
    const { seq } = service.running.services.state;
    const now = await accepted(service, 'getSegments', { query: `at=${encodeURIComponent(new Date().toISOString())}` });
    expect(now.headers.get('burgee-at-revision')).toBe(String(seq));
    await refused(service, 'getSegments', INVALID, { query: `at=${seq + 1}` });
    await refused(service, 'getSegments', INVALID, { query: 'at=yesterday' });
    const before = await accepted(service, 'getFeatures', { params: PLACE, query: 'at=2020-01-01' });
    expect(before.body.features).toEqual([]);
  });
});
