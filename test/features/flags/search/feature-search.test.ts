import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { accepted, flag, INVALID, prepare, refused, switchedOn } from '../../../support/admin.ts';
import { Flags } from '../../../support/flags.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { personalTokenOf, putUser } from '../../../support/people.ts';
import { ADMIN_TOKEN, startTestService, type TestService, useService } from '../../../support/service.ts';

let flags: Flags;
const clock = new ManualClock();
const service = useService({ clock });

beforeAll(async () => {
  flags = new Flags(service);
  await flags.call('createProject', {}, { id: 'shop', name: 'Shop' });
  const segment = await flags.segment();
  await prepare(service, (draft) => {
    const made = (name: string, day: string, rest: object) =>
      draft.put('features', flag(name, { createdAt: `2026-01-${day}T12:00:00.000Z`, ...rest }));
    const tags = (...values: string[]) => values.map((value) => ({ type: 'simple', value }));
    made('alpha', '03', { tags: tags('red'), description: 'The First one', environments: [switchedOn('development')] });
    made('beta', '01', { type: 'experiment', stale: true, tags: tags('red', 'blue') });
    made('gamma', '02', {
      project: 'shop',
      type: 'kill-switch',
      createdBy: { id: 7, name: 'seven' },
      environments: [switchedOn('development'), switchedOn('production', [segment])],
    });
    const dependencies = [{ feature: 'alpha', enabled: true, variants: [] }];
    made('delta', '04', { tags: tags('blue'), dependencies });
    made('omega', '05', { archived: true, archivedAt: '2026-02-01T00:00:00.000Z', tags: tags('red') });
  });
});

interface Found {
  readonly features: { readonly name: string }[];
  readonly total: number;
}

async function search(parameters: Readonly<Record<string, string>>): Promise<Found> {
  const query = new URLSearchParams(parameters).toString();
  return (await accepted(service, 'searchFeatures', { query })).body;
}

const found = async (parameters: Readonly<Record<string, string>>) => {
  const { features, total } = await search({ sortBy: 'name', ...parameters });
  expect(total).toBe(features.length);
  return features.map(({ name }) => name);
};

const ALL = ['alpha', 'beta', 'delta', 'gamma'];

describe('searching flags', () => {
  it('names the change requests that would change a flag, by environment, and no drafts', async () => {
    const environment = 'production';
    const params = { projectId: 'shop', environment };
    const idsOf = async () => {
      const { body } = await accepted(service, 'searchFeatures', { query: 'query=gamma' });
      const { environments } = body.features[0];
      return Object.fromEntries(
        environments.map((one: { name: string; changeRequestIds: number[] }) => [one.name, one.changeRequestIds]),
      );
    };
    await flags.call('updateProjectChangeRequestConfig', params, { changeRequestsEnabled: true });
    const change = { feature: 'gamma', action: 'updateEnabled', payload: { enabled: false } };
    const { id } = (await flags.call('createChangeRequest', params, change)).body;
    expect(await idsOf()).toEqual({ development: [], production: [] });
    const of = { projectId: 'shop', id };
    await flags.call('changeChangeRequestState', of, { state: 'In review' });
    expect(await idsOf()).toEqual({ development: [], production: [id] });
    await flags.call('changeChangeRequestState', of, { state: 'Cancelled' });
    expect(await idsOf()).toEqual({ development: [], production: [] });
    await flags.call('updateProjectChangeRequestConfig', params, { changeRequestsEnabled: false });
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['nothing: all live flags', {}, ALL],
    ['archived ones', { archived: 'IS:true' }, ['omega']],
    ['live ones', { archived: 'IS:false' }, ALL],
    ['a text in names', { query: 'ALPH' }, ['alpha']],
    ['a text in descriptions', { query: 'first' }, ['alpha']],
    ['a text in tags', { query: 'simple:blu' }, ['beta', 'delta']],
    ['any of several texts', { query: 'alpha, gam' }, ['alpha', 'gamma']],
    ['a text that is nowhere', { query: 'nowhere' }, []],
    ['a project', { project: 'IS:shop' }, ['gamma']],
    ['not a project', { project: 'IS_NOT:shop' }, ['alpha', 'beta', 'delta']],
    ['any of some projects', { project: 'IS_ANY_OF:shop,default' }, ALL],
    ['none of some projects', { project: 'IS_NONE_OF:shop,default' }, []],
    ['a project that does not exist', { project: 'IS:nope' }, []],
    ['archived ones of a project', { project: 'IS:default', archived: 'IS:true' }, ['omega']],
    ['a type', { type: 'IS:experiment' }, ['beta']],
    ['some types', { type: 'IS_ANY_OF:experiment,kill-switch' }, ['beta', 'gamma']],
    ['no such type', { type: 'IS_NOT:release' }, ['beta', 'gamma']],
    ['stale ones', { state: 'IS:stale' }, ['beta']],
    ['active ones', { state: 'IS:active' }, ['alpha', 'delta', 'gamma']],
    ['ones that are not stale', { state: 'IS_NONE_OF:stale' }, ['alpha', 'delta', 'gamma']],
    ['who created them', { createdBy: 'IS:7' }, ['gamma']],
    ['who did not create them', { createdBy: 'IS_NOT:7' }, ['alpha', 'beta', 'delta']],
    ['a tag', { tag: 'INCLUDE:simple:red' }, ['alpha', 'beta']],
    ['no such tag', { tag: 'DO_NOT_INCLUDE:simple:red' }, ['delta', 'gamma']],
    ['all of some tags', { tag: 'INCLUDE_ALL_OF:simple:red,simple:blue' }, ['beta']],
    ['any of some tags', { tag: 'INCLUDE_ANY_OF:simple:red,simple:blue' }, ['alpha', 'beta', 'delta']],
    ['none of some tags', { tag: 'EXCLUDE_IF_ANY_OF:simple:red,simple:blue' }, ['gamma']],
    ['not all of some tags', { tag: 'EXCLUDE_ALL:simple:red,simple:blue' }, ['alpha', 'delta', 'gamma']],
    ['a segment', { segment: 'INCLUDE:segment-1' }, ['gamma']],
    ['no such segment', { segment: 'DO_NOT_INCLUDE:segment-1' }, ['alpha', 'beta', 'delta']],
    ['being on somewhere', { status: 'production:enabled' }, ['gamma']],
    ['being off somewhere', { status: 'development:disabled' }, ['beta', 'delta']],
    ['days before', { createdAt: 'IS_BEFORE:2026-01-03' }, ['beta', 'gamma']],
    ['that day and later', { createdAt: 'IS_ON_OR_AFTER:2026-01-03' }, ['alpha', 'delta']],
    ['a stage', { lifecycle: 'IS:initial' }, ALL],
    ['the archived stage', { lifecycle: 'IS:archived' }, ['omega']],
    ['the archived stage despite another filter', { lifecycle: 'IS:archived', archived: 'IS:false' }, ['omega']],
    ['archived ones among others', { lifecycle: 'IS_ANY_OF:archived,live' }, ['omega']],
    ['archived ones beside others', { lifecycle: 'IS_ANY_OF:archived,initial' }, [...ALL, 'omega']],
    ['all but archived ones', { lifecycle: 'IS_NOT:archived' }, ALL],
    ['archived ones of one project', { lifecycle: 'IS:archived', project: 'IS:shop' }, []],
    ['other stages', { lifecycle: 'IS_NONE_OF:initial,live' }, []],
    ['having been seen', { lastSeenAt: 'IS_ON_OR_AFTER:2026-01-01' }, []],
    ['several filters', { tag: 'INCLUDE:simple:red', state: 'IS:active', query: 'a', type: 'IS:release' }, ['alpha']],
  ])('asks for %s', async (_what, parameters, expected) => {
    expect(await found(parameters)).toEqual(expected);
  });

  it('accepts several statuses, of which one must match', async () => {
    const query = 'sortBy=name&status[]=production:enabled&status[]=development:enabled';
    const { body } = await accepted(service, 'searchFeatures', { query });
    expect(body.features.map(({ name }: { name: string }) => name)).toEqual(['alpha', 'gamma']);
  });

  it.each<[string, string | undefined, string | undefined, string[]]>([
    ['when they were created', undefined, undefined, ['beta', 'gamma', 'alpha', 'delta']],
    ['the newest first', 'createdAt', 'desc', ['delta', 'alpha', 'gamma', 'beta']],
    ['name', 'name', 'asc', ALL],
    ['name backwards', 'name', 'desc', [...ALL].reverse()],
    ['type, then name', 'type', undefined, ['beta', 'gamma', 'alpha', 'delta']],
    ['project', 'project', 'desc', ['gamma', 'alpha', 'beta', 'delta']],
    ['being on', 'environment:development', 'desc', ['alpha', 'gamma', 'beta', 'delta']],
    ['something unknown: when they were created', 'weight', 'sideways', ['beta', 'gamma', 'alpha', 'delta']],
  ])('sorts by %s', async (_what, sortBy, sortOrder, expected) => {
    const { features } = await search({ ...(sortBy && { sortBy }), ...(sortOrder && { sortOrder }) });
    expect(features.map(({ name }) => name)).toEqual(expected);
  });

  it('puts the caller’s favourites first on request, and marks them', async () => {
    await putUser(service, 400);
    const token = await personalTokenOf(service, 400);
    const params = { projectId: 'default', featureName: 'delta' };
    await accepted(service, 'addFavoriteFeature', { params, token });
    const namesFor = async (of: string | undefined) => {
      const query = 'favoritesFirst=true&sortBy=name';
      const { body } = await accepted(service, 'searchFeatures', { query, ...(of && { token: of }) });
      return body.features.map(({ name, favorite }: { name: string; favorite: boolean }) => [name, favorite]);
    };
    expect(await namesFor(token)).toEqual([
      ['delta', true],
      ...['alpha', 'beta', 'gamma'].map((name) => [name, false]),
    ]);
    expect(await namesFor(undefined)).toEqual(ALL.map((name) => [name, false]));
  });

  it('finds the caller’s favourites, or all others', async () => {
    await putUser(service, 401);
    const token = await personalTokenOf(service, 401);
    const params = { projectId: 'default', featureName: 'delta' };
    await accepted(service, 'addFavoriteFeature', { params, token });
    const namesOf = async (query: string, of: string | undefined = token) => {
      const { body } = await accepted(service, 'searchFeatures', { query: `sortBy=name&${query}`, token: of });
      return body.features.map(({ name }: { name: string }) => name);
    };
    expect(await namesOf('favorite=IS:true')).toEqual(['delta']);
    expect(await namesOf('favorite=IS:false')).toEqual(['alpha', 'beta', 'gamma']);
    expect(await namesOf('favorite=IS:true', ADMIN_TOKEN)).toEqual([]);
  });

  it('finds flags that have exceeded the lifetime of their type', async () => {
    expect(await found({ state: 'IS:potentially-stale' })).toEqual([]);
    clock.advance(60 * 86_400_000);
    // An answer may be a second older than the time of day.
    await expect.poll(() => found({ state: 'IS:potentially-stale' })).toEqual(['alpha', 'delta']);
    expect(await found({ state: 'IS_ANY_OF:potentially-stale,stale' })).toEqual(['alpha', 'beta', 'delta']);
  });

  it('does not reveal the flags of a private project to other users', async () => {
    await flags.call('updateProject', { projectId: 'shop' }, { name: 'Shop', mode: 'private' });
    await putUser(service, 401);
    const token = await personalTokenOf(service, 401);
    for (const query of ['', 'project=IS:shop', 'query=gamma', 'segment=INCLUDE:segment-1']) {
      const { body, text } = await accepted(service, 'searchFeatures', { query, token });
      expect(text).not.toContain('gamma');
      expect(body.total).toBe(body.features.length);
    }
  });

  it('returns pages that neither overlap nor leave anything out', async () => {
    const page = (offset: string, limit: string) => search({ sortBy: 'name', offset, limit });
    expect(await page('0', '3')).toMatchObject({ total: 4, features: ALL.slice(0, 3).map((name) => ({ name })) });
    expect(await page('3', '3')).toMatchObject({ total: 4, features: [{ name: 'gamma' }] });
    expect(await page('99', '3')).toEqual({ total: 4, features: [] });
    for (const limit of ['0', '-1', '101', '1e9']) expect((await page('0', limit)).features).toHaveLength(4);
  });

  it('returns for each flag what lists show', async () => {
    const { features } = await search({ query: 'gamma' });
    expect(features).toEqual([
      {
        name: 'gamma',
        type: 'kill-switch',
        description: null,
        project: 'shop',
        stale: false,
        potentiallyStale: false,
        favorite: false,
        impressionData: false,
        archivedAt: null,
        lastSeenAt: null,
        createdAt: '2026-01-02T12:00:00.000Z',
        createdBy: { id: 7, name: 'seven', imageUrl: '' },
        lifecycle: { stage: 'initial', enteredStageAt: '2026-01-02T12:00:00.000Z' },
        dependencyType: null,
        segments: ['segment-1'],
        tags: [],
        environments: [
          expect.objectContaining({ name: 'development', enabled: true, hasStrategies: true, variantCount: 0 }),
          expect.objectContaining({ name: 'production', enabled: true, hasEnabledStrategies: true }),
        ],
      },
    ]);
    const [alpha, delta] = [await search({ query: 'alpha' }), await search({ query: 'delta' })];
    expect([alpha.features[0], delta.features[0]]).toMatchObject([
      { dependencyType: 'parent' },
      { dependencyType: 'child', tags: [{ type: 'simple', value: 'blue', color: '#FFFFFF' }] },
    ]);
  });

  it.each([
    'project=default',
    'project=IS:',
    'project=LIKE:default',
    'type=INCLUDE:release',
    'state=stale',
    'tag=simple:red',
    'tag=INCLUDE:red',
    'tag=INCLUDE:simple:red,blue',
    'segment=IS:x',
    'status=production',
    'status=production:perhaps',
    'createdAt=IS:2026-01-01',
    'createdAt=IS_BEFORE:yesterday',
    'archived=true',
    'favoritesFirst=perhaps',
    'offset=first',
    'limit=many',
    `query=${'a,'.repeat(20)}a`,
    `query=${'a'.repeat(2_001)}`,
  ])('refuses %s', async (query) => {
    await refused(service, 'searchFeatures', INVALID, { query });
  });
});

describe('searching flags by when they were used last', () => {
  const COUNT = 200;
  const ENVIRONMENTS = ['development', 'production'];
  const createdAt = '2020-01-01T00:00:00.000Z';
  let busy: TestService;

  beforeAll(async () => {
    busy = await startTestService();
    await prepare(busy, (draft) => {
      for (let at = 0; at < COUNT; at++) draft.put('features', flag(`used-${at}`, { createdAt }));
    });
    const { flagUse } = busy.running.services;
    const nowMs = Date.now();
    for (let at = 0; at < COUNT; at++) {
      // This order is neither the order of the names nor that of creation.
      const seenMs = nowMs - ((at * 37) % COUNT) * 1_000;
      const environment = ENVIRONMENTS[at % 2] as string;
      flagUse.note(`used-${at}`, environment, { yes: 1, no: 0, seenMs, hourMs: seenMs - (seenMs % 3_600_000) });
    }
  });

  afterAll(() => busy.close());

  it('sorts them, and looks up the last use only of the flags on the page', async () => {
    const asked = vi.spyOn(busy.running.services.flagUse, 'lastSeenAt');
    const query = 'sortBy=lastSeenAt&sortOrder=desc&limit=2';
    const { body } = await accepted(busy, 'searchFeatures', { query });
    const calls = asked.mock.calls.length;
    asked.mockRestore();
    const latest = [...Array(COUNT).keys()].sort((one, other) => ((one * 37) % COUNT) - ((other * 37) % COUNT));
    expect(body.features.map(({ name }: { name: string }) => name)).toEqual(
      latest.slice(0, 2).map((at) => `used-${at}`),
    );
    // For each environment: the time, and whether there are counts.
    expect(calls).toBeLessThanOrEqual(2 * body.features.length * ENVIRONMENTS.length);
  });
});
