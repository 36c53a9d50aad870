import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, flag, MISSING, prepare, refused, switchedOn, UNAUTHENTICATED } from '../../support/admin.ts';
import { startTestService, useService } from '../../support/service.ts';

const PROJECTS = ['shop', 'mobile', 'default'];
const ENVIRONMENTS = ['development', 'production'];
const V2 = { 'unleash-client-spec': '5.2.0' };

const service = useService();

beforeAll(async () => {
  for (const id of PROJECTS.slice(0, 2)) await accepted(service, 'createProject', { body: { id, name: id } });
  const { body: segment } = await accepted(service, 'createSegment', {
    body: { name: 'of-shop', constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }], project: 'shop' },
  });
  await prepare(service, (draft) => {
    for (const project of PROJECTS) {
      const segments = project === 'shop' ? [segment.id] : [];
      draft.put('features', flagOf(project, 'both', ENVIRONMENTS, segments));
      for (const environment of ENVIRONMENTS) draft.put('features', flagOf(project, environment, [environment], []));
    }
  });
});

function flagOf(project: string, suffix: string, environments: readonly string[], segments: readonly number[]) {
  return flag(`${project}-${suffix}`, {
    project,
    tags: [{ type: 'simple', value: 'all' }],
    environments: environments.map((environment) => switchedOn(environment, segments)),
  });
}

async function tokenFor(type: string, environment: string, projects: readonly string[]): Promise<string> {
  const tokenName = `${type} ${environment} ${projects.join(' ')}`;
  const body = { type, environment, projects, tokenName };
  return (await accepted(service, 'createApiToken', { body })).body.secret;
}

/** The flags that a token of the scope can see: name → whether the flag is on. */
function visible(environment: string, projects: readonly string[]): Map<string, boolean> {
  const flags = new Map<string, boolean>();
  for (const project of projects) {
    for (const suffix of ['both', ...ENVIRONMENTS]) {
      flags.set(`${project}-${suffix}`, suffix === 'both' || suffix === environment);
    }
  }
  return flags;
}

interface Toggle {
  readonly name: string;
  readonly enabled: boolean;
}

const asMap = (features: readonly Toggle[]) => new Map(features.map(({ name, enabled }) => [name, enabled]));
const sorted = (flags: Iterable<[string, boolean]>) => new Map([...flags].sort(([a], [b]) => (a < b ? -1 : 1)));

const SCOPES = ENVIRONMENTS.flatMap((environment) =>
  [['shop'], ['mobile'], ['shop', 'mobile'], ['*']].map((projects) => [environment, projects] as const),
);

describe.each(SCOPES)('a token of %s and the projects %s', (environment, projects) => {
  const reach = projects.includes('*') ? PROJECTS : projects;
  let client = '';
  let frontend = '';

  beforeAll(async () => {
    client = await tokenFor('client', environment, projects);
    frontend = await tokenFor('frontend', environment, projects);
  });

  it('reads the flags of its scope in the list of version 1, and no others', async () => {
    const { body } = await accepted(service, 'getAllClientFeatures', { token: client });
    expect(sorted(asMap(body.features))).toEqual(sorted(visible(environment, reach)));
    for (const feature of body.features) expect(reach).toContain(feature.project);
  });

  it('reads them in the list of version 2, with the segments they use and no others', async () => {
    const { body } = await accepted(service, 'getAllClientFeatures', { token: client, headers: V2 });
    expect(sorted(asMap(body.features))).toEqual(sorted(visible(environment, reach)));
    const segments = body.segments.map(({ name }: { name: string }) => name);
    expect(segments).toEqual(reach.includes('shop') ? ['of-shop'] : []);
    expect(body.query.environment).toBe(environment);
  });

  it.each([
    ...PROJECTS.map((project) => [`project=${project}`, (name: string) => name.startsWith(`${project}-`)] as const),
    ['project=shop&project=mobile', (name: string) => !name.startsWith('default-')] as const,
    ['project=nowhere', () => false] as const,
    ['namePrefix=mob', (name: string) => name.startsWith('mob')] as const,
    ['tag[]=simple:all', () => true] as const,
    ['tag=simple:all&project=mobile', (name: string) => name.startsWith('mobile-')] as const,
  ])('reads no flags outside its scope with the filter %s', async (query, picks) => {
    for (const headers of [{}, V2]) {
      const { body } = await accepted(service, 'getAllClientFeatures', { token: client, query, headers });
      const expected = [...visible(environment, reach)].filter(([name]) => picks(name));
      expect(sorted(asMap(body.features))).toEqual(sorted(expected));
    }
  });

  it('reads single flags of its scope, and gets 404 for all others', async () => {
    const allowed = visible(environment, reach);
    for (const project of PROJECTS) {
      for (const suffix of ['both', ...ENVIRONMENTS]) {
        const featureName = `${project}-${suffix}`;
        const options = { token: client, params: { featureName } };
        if (!allowed.has(featureName)) await refused(service, 'getClientFeature', MISSING, options);
        else {
          const { body } = await accepted(service, 'getClientFeature', options);
          expect(body.enabled).toBe(allowed.get(featureName));
        }
      }
    }
  });

  it('evaluates the flags of its scope, and no others, whatever the context contains', async () => {
    const on = [...visible(environment, reach)].filter(([, enabled]) => enabled);
    const context = { userId: '1', environment: 'production', project: 'default', projects: '*' };
    const query = new URLSearchParams(context).toString();
    const got = await accepted(service, 'getFrontendFeatures', { token: frontend, query });
    expect(sorted(asMap(got.body.toggles))).toEqual(sorted(on));
    const posted = await accepted(service, 'postFrontendFeatures', { token: frontend, body: { context } });
    expect(sorted(asMap(posted.body.toggles))).toEqual(sorted(on));
  });

  it('has an ETag that returns 304 for no other scope', async () => {
    const { headers } = await accepted(service, 'getAllClientFeatures', { token: client });
    const known = { 'if-none-match': headers.get('etag') ?? '' };
    expect((await service.call('getAllClientFeatures', { token: client, headers: known })).status).toBe(304);
    const other = environment === 'production' ? 'development' : 'production';
    const stranger = await tokenFor('client', other, ['default', ...projects.filter((project) => project !== '*')]);
    expect((await service.call('getAllClientFeatures', { token: stranger, headers: known })).status).toBe(200);
    await accepted(service, 'deleteApiToken', { params: { token: stranger } });
  });
});

describe('a filter by a project outside the scope of the token', () => {
  it('returns the same bytes as for a project that does not exist, even after a change there', async () => {
    const token = await tokenFor('client', 'development', ['mobile']);
    const answers = (project: string) =>
      Promise.all(
        ['features', 'features', 'delta'].map(async (path, index) => {
          const headers = { authorization: token, ...(index > 0 && V2) };
          const answer = await fetch(`${service.url}/api/client/${path}?project=${project}`, { headers });
          return [answer.status, answer.headers.get('etag'), await answer.text()];
        }),
      );
    const first = await answers('nowhere');
    expect(await answers('shop')).toEqual(first);
    const mixed = await answers('mobile&project=nowhere');
    expect(await answers('mobile&project=shop')).toEqual(mixed);
    await accepted(service, 'createFeature', { params: { projectId: 'shop' }, body: { name: 'shop-news' } });
    expect(await answers('shop')).toEqual(first);
    expect(await answers('nowhere')).toEqual(first);
    expect(await answers('mobile&project=shop')).toEqual(mixed);
  });
});

describe('AUTH_TYPE=none', () => {
  it('opens the client API, and nothing else, to callers without a token', async () => {
    const open = await startTestService({ env: { AUTH_TYPE: 'none' } });
    try {
      await prepare(open, (draft) =>
        draft.put('features', flag('seen', { environments: [switchedOn('development')] })),
      );
      const expected = [{ name: 'seen', enabled: true }];
      for (const token of [null, 'unknown']) {
        expect((await accepted(open, 'getAllClientFeatures', { token })).body.features).toMatchObject(expected);
      }
      await accepted(open, 'getClientFeature', { token: null, params: { featureName: 'seen' } });
      await refused(open, 'getFrontendFeatures', UNAUTHENTICATED, { token: null });
      await refused(open, 'getProjects', UNAUTHENTICATED, { token: null });
      await refused(open, 'createProject', UNAUTHENTICATED, { token: null, body: { name: 'x' } });
    } finally {
      await open.close();
    }
  });
});

describe('a list of several projects', () => {
  it('loses the flags of a deleted project, and changes its ETag', async () => {
    const own = await startTestService();
    try {
      for (const id of ['pa', 'pb']) await own.call('createProject', { body: { id, name: id } });
      await own.call('createFeature', { params: { projectId: 'pb' }, body: { name: 'fb' } });
      await own.call('createFeature', { params: { projectId: 'pa' }, body: { name: 'fa' } });
      const poll = (headers = {}) => own.call('getAllClientFeatures', { query: 'project=pa&project=pb', headers });
      const before = await poll();
      expect(before.body.features.map(({ name }: { name: string }) => name)).toEqual(['fa', 'fb']);
      await own.call('archiveFeature', { params: { projectId: 'pb', featureName: 'fb' } });
      await own.call('deleteFeature', { params: { featureName: 'fb' } });
      await own.call('deleteProject', { params: { projectId: 'pb' } });
      const after = await poll({ 'if-none-match': before.headers.get('etag') ?? '' });
      expect(after.status).toBe(200);
      expect(after.body.features.map(({ name }: { name: string }) => name)).toEqual(['fa']);
      expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    } finally {
      await own.close();
    }
  });
});
