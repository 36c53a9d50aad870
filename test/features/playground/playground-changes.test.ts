import { beforeEach, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { give } from '../../access/people.ts';
import { accepted, FORBIDDEN, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { type CallOptions, useFreshService } from '../../support/service.ts';
import { stateDigest } from '../../support/state-digest.ts';

const DEVELOPMENT = { projectId: 'default', environment: 'development' };
const CONTEXT = { appName: 'test', userId: '7', properties: { country: 'NO' } };

const service = useFreshService({ random: () => 0.5 });
/** A member of the project default, and a user who may only read. */
let tokens: Record<'member' | 'viewer', string>;

beforeEach(async () => {
  tokens = { member: await tokenOf(101), viewer: await tokenOf(102) };
  await prepare(service, (draft) => give(draft, 'default', 'user', 101, [ROLE_ID.member]));
  for (const name of ['flag', 'child'])
    await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name } });
});

async function tokenOf(id: number): Promise<string> {
  await putUser(service, id, { rootRole: ROLE_ID.viewer });
  return personalTokenOf(service, id);
}

const ON = { action: 'updateEnabled', feature: 'flag', payload: { enabled: true } };
const strategyFor = (constraints: object[]) => ({
  action: 'addStrategy',
  feature: 'flag',
  payload: { name: 'default', constraints },
});

/** The requests to both playgrounds, with these additional fields. */
const requests = (more: object) =>
  [
    ['getPlayground', { environment: 'development', context: CONTEXT, project: 'default', ...more }],
    [
      'getAdvancedPlayground',
      { environments: ['development'], context: CONTEXT, project: 'default', environment: 'development', ...more },
    ],
  ] as const;

type Results = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Name of each flag → its result, without ids of strategies, which a save creates anew. */
function resultsOf({ features }: { readonly features: readonly Readonly<Record<string, unknown>>[] }): Results {
  const withoutIds = (result: unknown) =>
    JSON.parse(
      JSON.stringify(result).replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|0[0-9A-Z]{25}/g, 'an id'),
    ) as Readonly<Record<string, unknown>>;
  return new Map(features.map((found) => [String(found.name), withoutIds(found)]));
}

const deny = async (expected: Parameters<typeof refused>[2], more: object, options: CallOptions = {}) => {
  for (const [operation, body] of requests(more)) await refused(service, operation, expected, { body, ...options });
};

describe('both playgrounds with unsaved changes', () => {
  it('answer what they answer after the changes are saved, for segments, strategies and children, and save nothing', async () => {
    const segment = { name: 'nordic', constraints: [{ contextName: 'country', operator: 'IN', values: ['SE'] }] };
    const { id } = (await accepted(service, 'createSegment', { body: segment })).body;
    const params = { ...DEVELOPMENT, featureName: 'flag' };
    const own = { name: 'default', segments: [id] };
    await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'lonely' } });
    await accepted(service, 'addFeatureStrategy', { params, body: own });
    await accepted(service, 'addFeatureDependency', {
      params: { projectId: 'default', child: 'child' },
      body: { feature: 'flag' },
    });
    await accepted(service, 'addFeatureStrategy', {
      params: { ...params, featureName: 'child' },
      body: { name: 'default' },
    });
    const switchOn = { params: { ...params, featureName: 'child' } };
    await accepted(service, 'toggleFeatureEnvironmentOn', switchOn);
    const constraints = [{ contextName: 'country', operator: 'IN', values: ['NO'] }];
    // It is off, and has had no children.
    const alone = { feature: 'lonely', enabled: false };
    const saves: readonly (readonly [changes: object[], save: () => Promise<unknown>])[] = [
      [[ON], () => accepted(service, 'toggleFeatureEnvironmentOn', { params })],
      [
        [{ action: 'updateSegment', payload: { id, ...segment, constraints } }],
        () => accepted(service, 'updateSegment', { params: { id }, body: { ...segment, constraints } }),
      ],
      [
        [strategyFor(constraints), { action: 'addDependency', feature: 'child', payload: alone }],
        async () => {
          await accepted(service, 'addFeatureStrategy', { params, body: { name: 'default', constraints } });
          await accepted(service, 'addFeatureDependency', {
            params: { projectId: 'default', child: 'child' },
            body: alone,
          });
        },
      ],
      [
        [{ action: 'archiveFeature', feature: 'child', payload: {} }],
        () => accepted(service, 'archiveFeature', { params: { projectId: 'default', featureName: 'child' } }),
      ],
    ];
    for (const [changes, save] of saves) {
      const before = stateDigest(service.running.services.state);
      const tried: Results[] = [];
      for (const [operation, body] of requests({ changes })) {
        const answer = await accepted(service, operation, { body });
        expect(answer.body.input.changes).toBeUndefined();
        tried.push(resultsOf(answer.body));
      }
      expect(stateDigest(service.running.services.state)).toBe(before);
      const unchanged = resultsOf((await accepted(service, 'getPlayground', { body: requests({})[0][1] })).body);
      expect(tried[0]).not.toEqual(unchanged);
      await save();
      const saved: Results[] = [];
      for (const [operation, body] of requests({}))
        saved.push(resultsOf((await accepted(service, operation, { body })).body));
      expect(tried).toEqual(saved);
    }
  });

  it('need the permissions of a save, and refuse what it refuses, with the position of the change', async () => {
    await deny(FORBIDDEN, { changes: [ON] }, { token: tokens.viewer });
    for (const [operation, body] of requests({ changes: [ON] }))
      await accepted(service, operation, { body, token: tokens.member });
    await deny(MISSING, { changes: [ON, { ...ON, feature: 'unknown' }] });
    const [[operation, body]] = requests({ changes: [ON, strategyFor([{ contextName: 'x', operator: 'NONE' }])] });
    const answer = await refused(service, operation, INVALID, { body });
    expect(answer.body.details[0].path).toMatch(/^\/changes\/1/);
    for (const [name, body] of requests({ changes: [ON], changeRequest: 1 }))
      expect((await refused(service, name, INVALID, { body })).body.message).toContain('only one of `changes`');
    await deny(INVALID, { changes: [ON], project: undefined });
    await deny(INVALID, { changes: [] });
    const [, [advanced, rest]] = requests({ changes: [ON], environment: undefined });
    await refused(service, advanced, INVALID, { body: rest });
  });

  it('evaluate changes of a protected environment', async () => {
    await accepted(service, 'updateProjectChangeRequestConfig', {
      params: DEVELOPMENT,
      body: { changeRequestsEnabled: true, requiredApprovals: 1 },
    });
    for (const [operation, body] of requests({ changes: [strategyFor([]), ON] })) {
      const results = resultsOf((await accepted(service, operation, { body, token: tokens.member })).body);
      expect(JSON.stringify(results.get('flag'))).toContain('"isEnabled":true');
    }
  });

  it('have the quota of previews', async () => {
    const { previewQuota } = service.running.services;
    for (let count = 0; count < 8; count++) expect(previewQuota.take(`caller ${count}`)).toBe(true);
    for (const [operation, body] of requests({ changes: [ON] }))
      expect((await service.call(operation, { body })).status).toBe(429);
    for (const [operation, body] of requests({})) await accepted(service, operation, { body });
    previewQuota.give('caller 0');
    for (const [operation, body] of requests({ changes: [ON] })) await accepted(service, operation, { body });
  });
});
