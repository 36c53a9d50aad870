import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../../bench/support/random.ts';
import type { FeatureSearchQuery } from '../../../../src/features/flags/search/schemas.ts';
import { isPotentiallyStale } from '../../../../src/features/flags/stale/commands.ts';
import { lifecycleOf } from '../../../../src/features/usage/lifecycle-commands.ts';
import { type Caller, systemCaller, userCaller } from '../../../../src/model/caller.ts';
import { FEATURE_TYPES, type Feature, tagText } from '../../../../src/model/feature.ts';
import type { Draft } from '../../../../src/state/draft.ts';
import { accepted, flag, INVALID, prepare, refused, switchedOn } from '../../../support/admin.ts';
import { Flags } from '../../../support/flags.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { personalTokenOf, putUser } from '../../../support/people.ts';
import { ADMIN_TOKEN, useService } from '../../../support/service.ts';
import { atDepth } from '../../../support/tiers/depth.ts';
import { naiveSearch } from './naive-search.ts';

let segments: readonly number[];
const clock = new ManualClock();
const service = useService({ clock });
const PROJECTS = ['default', 'shop', 'secret'];
const ENVIRONMENTS = ['development', 'production'];
const USER_ID = 500;

/** The callers, with their tokens: an admin token, and a user who does not see the private project. */
const callers: { readonly caller: Caller; readonly token: string }[] = [];

beforeAll(async () => {
  const flags = new Flags(service);
  await flags.call('createProject', {}, { id: 'shop', name: 'Shop' });
  await flags.call('createProject', {}, { id: 'secret', name: 'Secret', mode: 'private' });
  segments = [await flags.segment(), await flags.segment()];
  const user = await putUser(service, USER_ID);
  const token = await personalTokenOf(service, USER_ID);
  callers.push({ caller: systemCaller(), token: ADMIN_TOKEN }, { caller: userCaller(user, null), token });
});

const NAMES = Array.from({ length: 40 }, (_, index) => ['a', 'B', 'ab', '~', 'Z.'][index % 5] + String(index * 7));
const TAGS = ['red', 'blue', 'green'].map((value) => ({ type: 'simple', value }));
const DAYS = ['2025-12-30', '2026-01-01', '2026-01-02', '2026-02-31', '2026-99-00'];
const TEXTS = ['a', 'B7', 'ß', 'i̇', 'red', 'two\nlines', '1\nt', '~', 'zebra'];

const name = fc.constantFrom(...NAMES);
const time = fc.integer({ min: 0, max: 200 }).map((hours) => new Date(Date.UTC(2025, 11, 28, hours)).toISOString());

const feature = fc
  .record({
    project: fc.constantFrom(...PROJECTS),
    type: fc.constantFrom(...FEATURE_TYPES),
    description: fc.constantFrom(null, 'Two\nlines', 'Straße İ', 'a zeBra'),
    stale: fc.boolean(),
    archived: fc.boolean(),
    createdAt: time,
    creator: fc.integer({ min: -1, max: 2 }),
    tags: fc.subarray(TAGS),
    enabledIn: fc.subarray(ENVIRONMENTS),
    segment: fc.boolean(),
  })
  .map(({ creator, enabledIn, segment, archived, ...rest }): Omit<Feature, 'name'> => {
    const { name: _name, ...made } = flag('any', {
      ...rest,
      archived,
      archivedAt: archived ? '2026-02-01T00:00:00.000Z' : null,
      createdBy: { id: creator, name: 'some' },
      environments: enabledIn.map((environment) => switchedOn(environment, segment ? segments.slice(0, 1) : segments)),
    });
    return made;
  });

type Change = (draft: Draft) => void;
const bulkNames = Array.from({ length: 140 }, (_, index) => `bulk-${index}`);

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    arbitrary: fc.record({ name, feature }).map(
      (one): Change =>
        (draft) =>
          draft.put('features', { ...one.feature, name: one.name }),
    ),
    weight: 12,
  },
  {
    arbitrary: name.map(
      (one): Change =>
        (draft) =>
          draft.get('features', one) && draft.remove('features', one),
    ),
    weight: 4,
  },
  {
    arbitrary: fc.record({ one: name, stage: fc.constantFrom('pre-live', 'live') }).map(
      ({ one, stage }): Change =>
        (draft) => {
          if (draft.get('features', one))
            draft.put('lifecycles', { feature: one, steps: [{ stage, enteredStageAt: '2026-01-01T00:00:00.000Z' }] });
        },
    ),
    weight: 3,
  },
  {
    arbitrary: fc.record({ one: name, isFavorite: fc.boolean() }).map(
      ({ one, isFavorite }): Change =>
        (draft) => {
          const key = `${USER_ID}/feature/${one}`;
          const mark = { userId: USER_ID, kind: 'feature', name: one, createdAt: '2026-01-01T00:00:00.000Z' } as const;
          if (isFavorite) draft.put('favorites', mark);
          else if (draft.get('favorites', key)) draft.remove('favorites', key);
        },
    ),
    weight: 3,
  },
  {
    arbitrary: fc.record({ id: fc.constantFrom(...PROJECTS), environments: fc.subarray(ENVIRONMENTS) }).map(
      ({ id, environments }): Change =>
        (draft) => {
          const project = draft.get('projects', id);
          if (project) draft.put('projects', { ...project, environments });
        },
    ),
    weight: 2,
  },
  {
    arbitrary: fc.record({ feature, remove: fc.boolean() }).map(
      (bulk): Change =>
        (draft) => {
          for (const one of bulkNames)
            if (!bulk.remove) draft.put('features', { ...bulk.feature, name: one });
            else if (draft.get('features', one)) draft.remove('features', one);
        },
    ),
    weight: 1,
  },
);

const use = fc.record({ name, environment: fc.constantFrom(...ENVIRONMENTS), seenAt: time });

const oneOf = (values: readonly string[]) =>
  fc
    .record({
      operator: fc.constantFrom('IS', 'IS_NOT', 'IS_ANY_OF', 'IS_NONE_OF'),
      some: fc.subarray([...values, 'none'], { minLength: 1 }),
    })
    .map(({ operator, some }) => `${operator}:${some.join()}`);
const setOf = (values: readonly string[]) =>
  fc
    .record({
      operator: fc.constantFrom(
        'INCLUDE',
        'DO_NOT_INCLUDE',
        'INCLUDE_ALL_OF',
        'INCLUDE_ANY_OF',
        'EXCLUDE_IF_ANY_OF',
        'EXCLUDE_ALL',
      ),
      some: fc.subarray([...values], { minLength: 1 }),
    })
    .map(({ operator, some }) => `${operator}:${some.join()}`);
const ofDay = fc
  .record({ operator: fc.constantFrom('IS_BEFORE', 'IS_ON_OR_AFTER'), day: fc.constantFrom(...DAYS) })
  .map(({ operator, day }) => `${operator}:${day}`);

/** Most queries have few filters: with many, nothing is found. */
const sometimes = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.tuple(fc.integer({ min: 0, max: 5 }), arbitrary).map(([chance, one]) => (chance === 0 ? one : undefined));

const query: fc.Arbitrary<FeatureSearchQuery> = fc
  .record({
    query: sometimes(fc.subarray(TEXTS, { minLength: 1 }).map((texts) => texts.join())),
    project: sometimes(oneOf(PROJECTS)),
    state: sometimes(oneOf(['active', 'stale', 'potentially-stale'])),
    type: sometimes(oneOf(FEATURE_TYPES)),
    createdBy: sometimes(oneOf(['-1', '0', '1', '2'])),
    lifecycle: sometimes(oneOf(['initial', 'pre-live', 'live', 'archived'])),
    tag: sometimes(setOf([...TAGS.map(tagText), 'simple:none'])),
    segment: sometimes(setOf(['segment-1', 'segment-2', 'none'])),
    status: sometimes(fc.subarray(['development:enabled', 'production:disabled', 'none:enabled'], { minLength: 1 })),
    archived: sometimes(fc.constantFrom('IS:true', 'IS:false')),
    favorite: sometimes(fc.constantFrom('IS:true', 'IS:false', 'IS_ANY_OF:true,false')),
    createdAt: sometimes(ofDay),
    lastSeenAt: sometimes(ofDay),
    favoritesFirst: sometimes(fc.boolean()),
    sortBy: fc.constantFrom(
      'name',
      'type',
      'project',
      'createdAt',
      'lastSeenAt',
      'stale',
      'environment:production',
      'environment:none',
    ),
    sortOrder: fc.constantFrom('asc', 'desc'),
  })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));

function textOf(parameters: FeatureSearchQuery): string {
  const text = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters))
    for (const one of Array.isArray(value) ? value : [value]) text.append(key, String(one));
  return text.toString();
}

const search = async (parameters: FeatureSearchQuery, token = ADMIN_TOKEN) =>
  (await accepted(service, 'searchFeatures', { query: textOf(parameters), token })).body;

const namesOf = ({ features }: { features: { name: string }[] }) => features.map(({ name: one }) => one);

async function allPages(parameters: FeatureSearchQuery, token: string): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await search({ ...parameters, ...(cursor !== undefined && { cursor }) }, token);
    names.push(...namesOf(page));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return names;
}

const FACETS = ['project', 'type', 'state', 'tag', 'segment', 'createdBy', 'lifecycle', 'status', 'favorite'] as const;

/** The values of each facet that the flag has. */
function valuesOf(one: Feature): Record<(typeof FACETS)[number], readonly string[]> {
  const { state } = service.running.services;
  const isEnabled = (environment: string) =>
    one.environments.some((entry) => entry.environment === environment && entry.enabled);
  const ids = one.environments.flatMap(({ strategies }) => strategies.flatMap((strategy) => strategy.segments));
  const isOld = isPotentiallyStale(state, one, clock.nowMs());
  return {
    project: [one.project],
    type: [one.type],
    state: [one.stale ? 'stale' : 'active', ...(isOld ? ['potentially-stale'] : [])],
    tag: one.tags.map(tagText),
    segment: [...new Set(ids)].map((id) => state.get('segments', String(id))?.name ?? ''),
    createdBy: [String(one.createdBy.id)],
    lifecycle: [lifecycleOf(state, one).stage],
    status: ENVIRONMENTS.map((environment) => `${environment}:${isEnabled(environment) ? 'enabled' : 'disabled'}`),
    favorite: [],
  };
}

function countedByHand(found: readonly Feature[], favorites: ReadonlySet<string>) {
  const counts = new Map(FACETS.map((facet) => [facet, new Map<string, number>()]));
  for (const one of found)
    for (const [facet, values] of Object.entries({ ...valuesOf(one), favorite: [String(favorites.has(one.name))] })) {
      const ofFacet = counts.get(facet as (typeof FACETS)[number]);
      for (const value of values) ofFacet?.set(value, (ofFacet.get(value) ?? 0) + 1);
    }
  return Object.fromEntries(
    [...counts].map(([facet, ofFacet]) => [
      facet,
      [...ofFacet]
        .map(([value, count]) => ({ value, count }))
        .sort((left, right) => right.count - left.count || (left.value < right.value ? -1 : 1)),
    ]),
  );
}

describe('searching in columns', () => {
  it('finds the same flags in the same order as a filter and a sort of all flags, whatever changed before', async () => {
    const run = fc.record({
      changes: fc.array(change, { minLength: 1, maxLength: 12 }),
      uses: fc.array(use, { maxLength: 12 }),
      queries: fc.array(query, { minLength: 2, maxLength: 4 }),
      who: fc.integer({ min: 0, max: 1 }),
      limit: fc.integer({ min: 1, max: 30 }),
      offset: fc.integer({ min: 0, max: 60 }),
    });
    const property = fc.asyncProperty(run, async ({ changes, uses, queries, who, limit, offset }) => {
      const { services } = service.running;
      for (const one of changes) await prepare(service, one);
      for (const { name: used, environment, seenAt } of uses)
        services.flagUse.note(used, environment, { yes: 1, no: 0, seenMs: Date.parse(seenAt), hourMs: 0 });
      const { caller, token } = callers[who] as (typeof callers)[number];
      const favorites = new Set(
        Array.from(services.state.lookup('favoritesByUser', String(USER_ID)), (one) => one.name),
      );
      for (const parameters of [...queries, { sortBy: 'lastSeenAt' }]) {
        const expected = naiveSearch(parameters, caller, services);
        const names = expected.map((one) => one.name);
        const page = await search({ ...parameters, limit, offset, facets: FACETS.join() }, token);
        expect(namesOf(page)).toEqual(names.slice(offset, offset + limit));
        expect(page.total).toBe(names.length);
        expect(page.facets).toEqual(countedByHand(expected, who === 0 ? new Set() : favorites));
        expect(await allPages({ ...parameters, limit: Math.max(limit, 10) }, token)).toEqual(names);
      }
    });
    await fc.assert(property, { numRuns: atDepth({ quick: 40, full: 400 }) });
  });

  it('continues after a cursor while flags are created, changed and deleted', async () => {
    const sortings = ['name', 'project', 'createdAt', 'environment:production'].flatMap((sortBy) => [
      { sortBy, sortOrder: 'asc' },
      { sortBy, sortOrder: 'desc' },
    ]);
    const kept = Array.from({ length: 30 }, (_, index) => `kept-${index}`);
    const others = Array.from({ length: 30 }, (_, index) => `kept-${index}-other`);
    const made = (one: string, index: number) =>
      flag(one, { project: PROJECTS[index % 2] as string, createdAt: `2026-01-${10 + (index % 7)}T00:00:00.000Z` });
    await prepare(service, (draft) => {
      for (const [index, one] of [...kept, ...others].entries()) draft.put('features', made(one, index));
    });
    for (const sorting of sortings) {
      const seen: string[] = [];
      let cursor: string | undefined;
      let round = 0;
      do {
        const page = await search({ ...sorting, query: 'kept', limit: 7, ...(cursor !== undefined && { cursor }) });
        cursor = page.cursor;
        seen.push(...namesOf(page));
        const last = seen.at(-1) ?? '';
        await prepare(service, (draft) => {
          // The flag that the cursor names may be deleted.
          if (others.includes(last)) draft.remove('features', last);
          draft.put('features', made(`kept-${round++}-new`, round));
          draft.put('features', { ...made(others[round] as string, round + 3), stale: true });
        });
      } while (cursor !== undefined);
      expect(seen.filter((one) => kept.includes(one)).sort(), JSON.stringify(sorting)).toEqual([...kept].sort());
    }
  });

  it('refuses a cursor of another order, and texts that are no cursors', async () => {
    const { cursor } = await search({ sortBy: 'name', limit: 1 });
    const text = (values: unknown) => Buffer.from(JSON.stringify(values)).toString('base64url');
    const wrong = [
      textOf({ sortBy: 'name', sortOrder: 'desc', cursor }),
      textOf({ sortBy: 'createdAt', cursor }),
      textOf({ sortBy: 'name', favoritesFirst: true, cursor }),
      ...[
        '',
        'no-cursor',
        text({}),
        text(['name false false', true, 1, 'a']),
        text(['name false false', 1, 'a', 'a']),
      ].map((one) => textOf({ sortBy: 'name', cursor: one })),
      textOf({ cursor: text(['createdAt false false', true, 'a', 'a']) }),
      `sortBy=name&cursor=${'a'.repeat(1_001)}`,
    ];
    for (const one of wrong) await refused(service, 'searchFeatures', INVALID, { query: one });
    const params = { projectId: 'default' };
    for (const one of ['', 'x', cursor])
      await refused(service, 'getFeatures', INVALID, { params, query: textOf({ cursor: one }) });
  });

  it('computes only the fields that the query names', async () => {
    const full = await search({ limit: 100, sortBy: 'name' });
    const fieldNames = Object.keys(full.features[0]);
    for (const field of fieldNames) {
      const { features } = await search({ limit: 100, sortBy: 'name', fields: field } as FeatureSearchQuery);
      const expected = full.features.map((one: Record<string, unknown>) => ({ name: one.name, [field]: one[field] }));
      expect(features).toEqual(expected);
    }
    const two = await search({ limit: 1, fields: 'stale,project,stale' } as FeatureSearchQuery);
    expect(Object.keys(two.features[0])).toEqual(['name', 'stale', 'project']);
    for (const fields of ['', 'nothing', 'name,', 'name stale'])
      await refused(service, 'searchFeatures', INVALID, { query: textOf({ fields } as FeatureSearchQuery) });
    for (const facets of ['', 'name', 'project,'])
      await refused(service, 'searchFeatures', INVALID, { query: textOf({ facets } as FeatureSearchQuery) });
  });
});

describe('the flags of a project in pages', () => {
  const params = { projectId: 'default' };
  const list = async (text: string, token = ADMIN_TOKEN, projectId = 'default') =>
    (await accepted(service, 'getFeatures', { params: { projectId }, query: text, token })).body;

  it.each(['', '&namePrefix=kept-1', '&tag=simple:red&tag=simple:blue', '&tag=simple:none'])(
    'has the flags of the whole list, in the order of their names%s',
    async (filter) => {
      const whole = await list(filter);
      expect(whole).not.toHaveProperty('cursor');
      const found: { name: string }[] = [];
      let cursor: string | undefined;
      do {
        const page = await list(`limit=4${filter}${cursor === undefined ? '' : `&cursor=${cursor}`}`);
        expect(page.version).toBe(2);
        found.push(...page.features);
        cursor = page.cursor;
      } while (cursor !== undefined);
      const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
      expect(found).toEqual([...whole.features].sort(byName));
    },
  );

  it('has only the named fields', async () => {
    const whole = await list('limit=1000');
    for (const field of Object.keys(whole.features[0])) {
      const expected = whole.features.map((one: Record<string, unknown>) => ({ name: one.name, [field]: one[field] }));
      expect((await list(`limit=1000&fields=${field}`)).features).toEqual(expected);
    }
    const streamed = await list('fields=type');
    expect(streamed.features.length).toBe(whole.features.length);
    expect(Object.keys(streamed.features[0])).toEqual(['name', 'type']);
  });

  it('shows nothing of a private project, and refuses other limits', async () => {
    const { token } = callers[1] as (typeof callers)[number];
    expect(await list('limit=5', token, 'secret')).toEqual({ version: 2, features: [] });
    expect(await list('limit=5', ADMIN_TOKEN, 'none')).toEqual({ version: 2, features: [] });
    for (const limit of ['0', '1001', '1.5', 'many'])
      await refused(service, 'getFeatures', INVALID, { params, query: `limit=${limit}` });
  });
});

describe('searching many flags', () => {
  it('finds the first, the middle and the last pages, and pages of a thousand', async () => {
    // So many that the first part of the columns is divided several times before it is sorted.
    const COUNT = 9_000;
    const random = new SeededRandom(7);
    const days = Array.from({ length: 20 }, (_, index) => new Date(Date.UTC(2026, 0, 1 + index)).toISOString());
    await prepare(service, (draft) => {
      for (let index = 0; index < COUNT; index++)
        draft.put(
          'features',
          flag(`many-${random.integer(1_000_000)}-${index}`, {
            createdAt: random.pick(days),
            type: random.pick(FEATURE_TYPES),
          }),
        );
    });
    const { caller } = callers[0] as (typeof callers)[number];
    for (const sortBy of ['name', 'type', 'createdAt'])
      for (const sortOrder of ['asc', 'desc']) {
        const parameters = { sortBy, sortOrder, query: 'many' };
        const names = naiveSearch(parameters, caller, service.running.services).map((one) => one.name);
        expect(names).toHaveLength(COUNT);
        for (const offset of [0, 4_490, COUNT - 50])
          expect(namesOf(await search({ ...parameters, offset }))).toEqual(names.slice(offset, offset + 50));
        const fields = { ...parameters, fields: 'project', limit: 1_000 };
        expect(await allPages(fields, ADMIN_TOKEN)).toEqual(names);
        const tooLarge = await search({ ...parameters, fields: 'project', limit: 1_001 });
        expect(tooLarge.features).toHaveLength(50);
      }
  });
});
