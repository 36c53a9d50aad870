import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, eventsOf, INVALID, prepare, refused } from '../../support/admin.ts';
import { Flags } from '../../support/flags.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { type CallOptions, useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

const because = (reason: string) => ({ 'burgee-reason': encodeURIComponent(reason) });

describe('a reason', () => {
  it('of any characters is in every event of the request, and the events are one group', async () => {
    const reason = 'Für 5 % der Nutzer: „naïve“ 🚩\n#1234, a=b; "c"';
    const body = { features: [await flags.create(), await flags.create()], stale: true };
    const events = await eventsOf(service, () =>
      accepted(service, 'staleFeatures', { params: { projectId: 'default' }, body, headers: because(reason) }),
    );
    const { seq } = service.running.services.state;
    const group = { reason, revision: seq, groupType: 'request', groupId: String(seq) };
    expect(events).toHaveLength(2);
    for (const event of events) expect(event).toMatchObject(group);
    const { body: found } = await accepted(service, 'searchEventsByQuery', { query: `groupId=IS:${seq}` });
    expect(found.total).toBe(2);
    const [other] = await eventsOf(service, () => flags.create());
    expect(other).toMatchObject({ reason: null, revision: seq + 1 });
  });

  it('is refused if it is too long or wrongly encoded', async () => {
    const params = { name: 'simple' };
    const longest = '🚩'.repeat(500);
    const send = (headers: Record<string, string>) => ({ params, body: {}, headers });
    await accepted(service, 'updateTagType', send(because(longest)));
    await accepted(service, 'updateTagType', send({ 'burgee-reason': 'plain words, too' }));
    for (const bad of [
      encodeURIComponent(`${longest}x`),
      'x'.repeat(501),
      '100 % sure',
      '%ff',
      '%e4',
      'é',
      '',
      '%20%0a',
    ])
      expect(
        (await refused(service, 'updateTagType', INVALID, send({ 'burgee-reason': bad }))).body.message,
        bad,
      ).toContain('burgee-reason');
    // Reads ignore it.
    await accepted(service, 'getTagType', { params, headers: { 'burgee-reason': '%ff' } });
  });
});

describe('an environment that demands reasons', () => {
  const at = { projectId: 'default', environment: 'production' };
  let featureName: string;

  beforeAll(async () => {
    featureName = await flags.create();
    const { body } = await accepted(service, 'updateEnvironment', {
      params: { name: 'production' },
      body: { requireReason: true },
    });
    expect(body.requireReason).toBe(true);
  });

  it('refuses changes of flags without a reason, by people and admin tokens, and accepts them with one', async () => {
    await putUser(service, 601, { rootRole: 1 });
    const token = await personalTokenOf(service, 601);
    const strategy = { name: 'default', parameters: {}, segments: [] as number[] };
    const segment = await accepted(service, 'createSegment', { body: { name: 'who', constraints: [] } });
    const changed = { name: 'who', constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }] };
    const inFlag = { ...at, featureName };
    const writes: [string, CallOptions][] = [
      ['addFeatureStrategy', { params: inFlag, body: { ...strategy, segments: [segment.body.id] } }],
      ['toggleFeatureEnvironmentOn', { params: inFlag }],
      ['bulkToggleFeaturesEnvironmentOff', { params: at, body: { features: [featureName] } }],
      ['updateSegment', { params: { id: segment.body.id }, body: changed }],
      ['archiveFeature', { params: inFlag }],
    ];
    for (const [operation, options] of writes) {
      for (const who of [{}, { token }]) {
        const { body } = await refused(service, operation, INVALID, { ...options, ...who });
        expect(body.message).toBe(
          'Changes of flags in the environment production need a reason: send it in the header burgee-reason, percent-encoded.',
        );
      }
      await accepted(service, operation, { ...options, token, headers: because('because') });
    }
  });

  it('accepts other changes without a reason', async () => {
    const other = await flags.create();
    await accepted(service, 'toggleFeatureEnvironmentOn', {
      params: { ...at, featureName: other, environment: 'development' },
    });
    await accepted(service, 'updateFeature', { params: { ...at, featureName: other }, body: { description: 'x' } });
    // Its flag is on only in another environment.
    await accepted(service, 'addTag', { params: { featureName: other }, body: { type: 'simple', value: 'tag' } });
  });

  it('accepts the application of a change request, whose title says why', async () => {
    const other = await flags.create();
    const config = { params: at, body: { changeRequestsEnabled: true, requiredApprovals: 1 } };
    await accepted(service, 'updateProjectChangeRequestConfig', config);
    await putUser(service, 602, { rootRole: 1 });
    await putUser(service, 603, { rootRole: 1 });
    const [author, reviewer] = [await personalTokenOf(service, 602), await personalTokenOf(service, 603)];
    const body = { feature: other, action: 'updateEnabled', payload: { enabled: true } };
    const { id } = (await accepted(service, 'createChangeRequest', { params: at, body, token: author })).body;
    const move = (state: string, token: string) =>
      accepted(service, 'changeChangeRequestState', { params: { ...at, id }, body: { state }, token });
    await move('In review', author);
    await move('Approved', reviewer);
    await move('Applied', reviewer);
    expect((await flags.environment(other, 'production')).enabled).toBe(true);
    await accepted(service, 'updateProjectChangeRequestConfig', { params: at, body: { changeRequestsEnabled: false } });
  });

  it('passes the setting on to a clone, shows it, and forgets it when it is switched off', async () => {
    await accepted(service, 'cloneEnvironment', {
      params: { name: 'production' },
      body: { name: 'copy', type: 'test', projects: ['default'] },
      headers: because('x'),
    });
    const read = async (name: string) =>
      (await accepted(service, 'getEnvironment', { params: { name } })).body.requireReason;
    expect([await read('copy'), await read('production'), await read('development')]).toEqual([true, true, false]);
    for (const name of ['copy', 'production'])
      await accepted(service, 'updateEnvironment', { params: { name }, body: { requireReason: false } });
    const other = await flags.create();
    await accepted(service, 'toggleFeatureEnvironmentOn', { params: { ...at, featureName: other } });
    const made = await accepted(service, 'createEnvironment', {
      body: { name: 'strict', type: 'test', requireReason: true },
    });
    expect(made.body.requireReason).toBe(true);
  });

  it('keeps older environments without the setting as they are', async () => {
    await prepare(service, (draft) =>
      draft.put('environments', { name: 'old', type: 'test', enabled: true, protected: false, sortOrder: 1 }),
    );
    const { body } = await accepted(service, 'updateEnvironment', { params: { name: 'old' }, body: { sortOrder: 2 } });
    expect(body).toMatchObject({ sortOrder: 2, requireReason: false });
  });
});
