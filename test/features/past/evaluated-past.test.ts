import { beforeEach, describe, expect, it } from 'vitest';
import { Mulberry32 } from '../../../src/base/mulberry32.ts';
import { accepted, FORBIDDEN, flag, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { changeAtRandom, FLAGS, PLACE, prepareProjects } from '../../support/random-changes.ts';
import { useFreshService } from '../../support/service.ts';
import { atDepth } from '../../support/tiers/depth.ts';

const service = useFreshService();

beforeEach(async () => {
  await prepareProjects(service);
});

const seq = () => service.running.services.state.seq;

const USERS = Array.from({ length: 12 }, (_, index) => String(index * 9));
const CONTEXT = { appName: 'shop', userId: '45', sessionId: 's', currentTime: '2026-11-01T00:00:00.000Z' };

const SIMPLE = { environment: 'development', context: CONTEXT };
const ADVANCED = {
  environments: ['development', 'production'],
  context: { ...CONTEXT, userId: USERS.join(',') },
};

/** What both playgrounds answer, of all projects and of one. */
async function evaluated(query?: string, more: object = {}): Promise<unknown[]> {
  const answers = [];
  for (const [operationId, request] of [
    ['getPlayground', SIMPLE],
    ['getPlayground', { ...SIMPLE, projects: ['other'] }],
    ['getAdvancedPlayground', ADVANCED],
  ] as const) {
    const body = { ...request, ...more };
    const { status, body: answer, text } = await service.call(operationId, { body, ...(query && { query }) });
    expect(status, text).toBe(200);
    answers.push(answer.features);
  }
  return answers;
}

/** One random change. More than half of them change what a flag that exists evaluates to, in the project that contains it. */
async function changeResults(random: Mulberry32): Promise<void> {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)] as T;
  const existing = FLAGS.flatMap((name) => service.running.services.state.get('features', name) ?? []);
  const feature = existing.length > 0 ? pick(existing) : undefined;
  if (!feature || feature.archived || random.next() < 0.4) return void (await changeAtRandom(service, random));
  const environment = pick(['development', 'development', 'production']);
  const params = { projectId: feature.project, featureName: feature.name, environment, id: 1 };
  const values = USERS.filter(() => random.next() < 0.5).concat('another');
  const constraints = [{ contextName: 'userId', operator: 'IN', values }];
  const strategies = feature.environments.find((one) => one.environment === environment)?.strategies ?? [];
  const strategyId = strategies[0]?.id;
  const strategy = { name: 'default', constraints, segments: random.next() < 0.3 ? [1] : [] };
  const rollout = { name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'userId', groupId: 'g' } };
  const makes: (() => Promise<unknown>)[] = [
    () => service.call('toggleFeatureEnvironmentOn', { params }),
    () => service.call('toggleFeatureEnvironmentOff', { params }),
    () => service.call('addFeatureStrategy', { params, body: random.next() < 0.5 ? strategy : rollout }),
    () =>
      strategyId === undefined
        ? service.call('toggleFeatureEnvironmentOn', { params })
        : service.call('deleteFeatureStrategy', { params: { ...params, strategyId } }),
    () => service.call('updateSegment', { params, body: { name: 'segment 1', constraints } }),
  ];
  await pick(makes)();
}

/** The number of evaluations in the answers that were on. */
const countOn = (answers: unknown) => JSON.stringify(answers).split('"isEnabled":true').length - 1;

describe('a preview of an undo', () => {
  const preview = (undo: object, environment = 'development') =>
    service.call('previewChanges', {
      body: { environment, undo, contexts: { given: USERS.map((userId) => ({ userId })) }, examples: 12 },
    });

  it('equals the undo: results before and after, the playground, and every refusal', async () => {
    const random = new Mulberry32(26_005);
    const recent: number[] = [];
    const seen = { undone: 0, differences: 0, refused: 0 };
    for (let step = 0; step < atDepth({ quick: 50, full: 500 }); step++) {
      const start = seq();
      await changeResults(random);
      if (seq() === start) continue;
      recent.push(seq());
      if (recent.length <= 2) continue;
      const revision = recent.shift() as number;
      const before = await evaluated();
      const previewed = await preview({ revision });
      const tried = await service.call('getPlayground', { body: { ...SIMPLE, undo: { revision } } });
      const advanced = await service.call('getAdvancedPlayground', { body: { ...ADVANCED, undo: { revision } } });
      const undone = await service.call('undoRevision', { params: { revision } });
      if (undone.status !== 200) {
        seen.refused++;
        for (const answer of [previewed, tried, advanced])
          expect([answer.status, { ...answer.body, id: '' }]).toEqual([undone.status, { ...undone.body, id: '' }]);
        continue;
      }
      seen.undone++;
      const after = await evaluated();
      expect([tried.body.features, advanced.body.features], `undo of ${revision}`).toEqual([after[0], after[2]]);
      seen.differences += checkPreview(previewed.body, before[2], after[2]);
    }
    expect(seen.undone).toBeGreaterThan(20);
    expect(seen.differences).toBeGreaterThan(20);
    expect(seen.refused).toBeGreaterThan(2);
  });

  it('may be of some flags and environments, and says that a protected environment needs a change request', async () => {
    const params = { projectId: 'default', environment: 'production', featureName: 'undo.tried' };
    await accepted(service, 'createFeature', { params, body: { name: 'undo.tried' } });
    await accepted(service, 'toggleFeatureEnvironmentOn', { params });
    const revision = seq();
    const undo = { revision, environments: ['production'], entities: [{ type: 'feature', id: 'undo.tried' }] };
    const body = async () => (await preview(undo, 'production')).body;
    expect(await body()).toMatchObject({
      changes: [{ action: 'undo', feature: null, needsChangeRequest: false, reason: null, review: null }],
      flags: [{ name: 'undo.tried', reason: 'changed', counts: { onToOff: USERS.length } }],
    });
    expect(seq()).toBe(revision);
    const config = { changeRequestsEnabled: true, requiredApprovals: 1 };
    await putUser(service, 932, { rootRole: 2 });
    await accepted(service, 'setRolesForProjectUser', { params: { ...params, id: 932 }, body: { roles: [4] } });
    await accepted(service, 'updateProjectChangeRequestConfig', { params, body: config });
    const token = await personalTokenOf(service, 932);
    const asked = { body: { environment: 'production', undo }, token };
    const { body: protectedOne } = await accepted(service, 'previewChanges', asked);
    expect(protectedOne.changes).toEqual([
      {
        action: 'undo',
        feature: null,
        needsChangeRequest: true,
        reason: expect.stringContaining('production'),
        review: { project: 'default', environment: 'production' },
      },
    ]);
    const { body: refusal } = await refused(service, 'undoRevision', FORBIDDEN, {
      params: { revision },
      body: {},
      token,
    });
    expect(refusal.details).toMatchObject([{ review: { project: 'default', environment: 'production' } }]);
    await accepted(service, 'updateProjectChangeRequestConfig', { params, body: { changeRequestsEnabled: false } });
  });

  it('is refused without the permission, for what cannot be undone, and with other changes', async () => {
    const params = { ...PLACE, featureName: 'undo.refused' };
    await accepted(service, 'createFeature', { params, body: { name: 'undo.refused' } });
    const undo = { revision: seq() };
    const place = { environment: 'development', undo };
    await putUser(service, 933, { rootRole: 3 });
    const token = await personalTokenOf(service, 933);
    await refused(service, 'previewChanges', FORBIDDEN, { body: place, token });
    await refused(service, 'getPlayground', FORBIDDEN, { body: { ...SIMPLE, undo }, token });
    const deny = (expected: Parameters<typeof refused>[2], body: object) =>
      refused(service, 'previewChanges', expected, { body });
    await deny(MISSING, { ...place, undo: { revision: seq() + 10 } });
    await deny(MISSING, { ...place, undo: { ...undo, entities: [{ type: 'feature', id: 'another' }] } });
    await deny(MISSING, { ...place, environment: 'nowhere' });
    await deny(INVALID, { undo });
    await deny(INVALID, { ...place, project: 'default' });
    await deny(INVALID, { ...place, changeRequest: 1 });
    await deny(INVALID, { environment: 'development' });
  });

  it('does not show a caller a flag of a private project', async () => {
    await prepare(service, (draft) => {
      const project = draft.get('projects', 'default');
      if (project) draft.put('projects', { ...project, id: 'hidden', name: 'hidden', mode: 'private' });
      draft.put('features', flag('hidden.flag', { project: 'hidden' }));
    });
    const params = { projectId: 'hidden', featureName: 'hidden.flag', environment: 'development' };
    await accepted(service, 'toggleFeatureEnvironmentOff', { params });
    await accepted(service, 'toggleFeatureEnvironmentOn', { params });
    const body = { environment: 'development', undo: { revision: seq() } };
    await putUser(service, 934, { rootRole: 3 });
    const token = await personalTokenOf(service, 934);
    await refused(service, 'previewChanges', MISSING, { body, token });
    await accepted(service, 'previewChanges', { body });
  });
});

describe('the playground with a moment', () => {
  it('evaluates as it did then, at every revision, with the segments, parents and projects of that moment', async () => {
    const random = new Mulberry32(26_004);
    const served = new Map<number, unknown[]>([[seq(), await evaluated()]]);
    while (served.size < atDepth({ quick: 15, full: 250 })) {
      await changeResults(random);
      if (!served.has(seq())) served.set(seq(), await evaluated());
    }
    const seen = { on: 0, different: 0 };
    const last = JSON.stringify([...served.values()].at(-1));
    for (const [revision, expected] of served) {
      expect(await evaluated(`at=${revision}`), `at ${revision}`).toEqual(expected);
      seen.on += countOn(expected);
      seen.different += Number(JSON.stringify(expected) !== last);
    }
    expect(seen.on).toBeGreaterThan(served.size);
    expect(seen.different).toBeGreaterThan(served.size / 2);
  });

  it('has flags that were deleted since, not those that were created since, and the environments of that moment', async () => {
    const names = async (query?: string, environment = 'development') => {
      const { body } = await accepted(service, 'getPlayground', {
        body: { ...SIMPLE, environment },
        ...(query && { query }),
      });
      return body.features.map(({ name }: { name: string }) => name) as string[];
    };
    const params = { ...PLACE, featureName: 'moment.old' };
    await accepted(service, 'createFeature', { params, body: { name: 'moment.old' } });
    const then = seq();
    await accepted(service, 'archiveFeature', { params });
    await accepted(service, 'deleteFeature', { params });
    await accepted(service, 'createFeature', { params, body: { name: 'moment.new' } });
    expect(await names()).toEqual(expect.arrayContaining(['moment.new']));
    expect(await names()).not.toContain('moment.old');
    expect(await names(`at=${then}`)).toEqual(expect.arrayContaining(['moment.old']));
    expect(await names(`at=${then}`)).not.toContain('moment.new');
    // Many flags that are gone, between flags that stay.
    const many = Array.from({ length: 300 }, (_, index) => `moment.${1_000 + index}`);
    for (const half of [0, 1]) {
      const features = many.filter((_, index) => index % 2 === half);
      for (const name of features) await accepted(service, 'createFeature', { params, body: { name } });
    }
    const full = seq();
    const expected = await names();
    const features = many.filter((_, index) => index % 3 > 0);
    for (let at = 0; at < features.length; at += 100) {
      const body = { features: features.slice(at, at + 100) };
      await accepted(service, 'archiveFeatures', { params, body });
      await accepted(service, 'deleteFeatures', { params, body });
    }
    expect((await names()).length).toBe(expected.length - features.length);
    expect(await names(`at=${full}`)).toEqual(expected);
    const environment = { name: 'moment', type: 'test' };
    await prepare(service, (draft) => {
      const model = draft.get('environments', 'development');
      if (model) draft.put('environments', { ...model, ...environment });
    });
    await accepted(service, 'addEnvironmentToProject', { params, body: { environment: 'moment' } });
    const added = seq();
    const inMoment = await names(undefined, 'moment');
    expect(inMoment).toContain('moment.new');
    await accepted(service, 'removeEnvironmentFromProject', { params: { ...params, environment: 'moment' } });
    expect(await names(undefined, 'moment')).not.toContain('moment.new');
    expect(await names(`at=${added}`, 'moment')).toEqual(inMoment);
  }, 60_000);

  it('shows only projects that the caller may see now', async () => {
    await accepted(service, 'createProject', { body: { id: 'closed', name: 'Closed', environments: ['development'] } });
    await accepted(service, 'createFeature', { params: { projectId: 'closed' }, body: { name: 'closed.flag' } });
    const open = seq();
    await prepare(service, (draft) => {
      const project = draft.get('projects', 'closed');
      if (project) draft.put('projects', { ...project, mode: 'private' });
    });
    await putUser(service, 931, { rootRole: 3 });
    const token = await personalTokenOf(service, 931);
    for (const [operationId, body] of [
      ['getPlayground', SIMPLE],
      ['getAdvancedPlayground', ADVANCED],
    ] as const) {
      const asked = { body, query: `at=${open}` };
      expect((await accepted(service, operationId, asked)).text).toContain('closed.flag');
      expect((await accepted(service, operationId, { ...asked, token })).text).not.toContain('closed.flag');
    }
  });

  it('says which revision it is, and refuses moments that are not recorded, and changes', async () => {
    const { headers } = await accepted(service, 'getPlayground', {
      body: SIMPLE,
      query: `at=${encodeURIComponent(new Date().toISOString())}`,
    });
    expect(headers.get('burgee-at-revision')).toBe(String(seq()));
    const changes = [{ action: 'updateEnabled', feature: 'a', payload: { enabled: true } }];
    const undo = { revision: seq() };
    for (const [operationId, body] of [
      ['getPlayground', SIMPLE],
      ['getAdvancedPlayground', ADVANCED],
    ] as const) {
      await refused(service, operationId, INVALID, { body, query: `at=${seq() + 1}` });
      await refused(service, operationId, INVALID, { body, query: 'at=yesterday' });
      const place = { project: 'default', environment: 'development' };
      for (const more of [{ changes, project: 'default' }, { changeRequest: 1 }, { undo }]) {
        await refused(service, operationId, INVALID, { body: { ...place, ...body, ...more }, query: `at=${seq()}` });
      }
      await refused(service, operationId, INVALID, { body: { ...body, ...place, changes, undo } });
    }
    const environment = { environment: 'nowhere', context: CONTEXT };
    await refused(service, 'getPlayground', INVALID, { body: environment, query: `at=${seq()}` });
  });
});

interface Evaluation {
  readonly isEnabled: boolean;
  readonly variant: { readonly name: string } | null;
}

type Evaluations = readonly {
  readonly name: string;
  readonly environments: Readonly<Record<string, readonly Evaluation[]>>;
}[];

/** Compares the counts of a preview with what the playground answered before and after the undo. Returns the number of differences. */
function checkPreview(
  { flags }: { flags: readonly { name: string; counts: Readonly<Record<string, number>> }[] },
  before: unknown,
  after: unknown,
): number {
  const [old, now] = [before, after].map(
    (answer) =>
      new Map((answer as Evaluations).map(({ name, environments }) => [name, environments.development ?? []])),
  );
  let differences = 0;
  for (const name of new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])) {
    const counts = { offToOn: 0, onToOff: 0, otherVariant: 0, unchanged: 0 };
    for (const index of USERS.keys()) {
      const [wasOn, isOn] = [old, now].map((results) => results?.get(name)?.[index]?.isEnabled === true);
      counts[wasOn === isOn ? 'unchanged' : isOn ? 'offToOn' : 'onToOff']++;
    }
    const expected = flags.find((one) => one.name === name)?.counts ?? { ...counts, offToOn: 0, onToOff: 0 };
    expect([name, { ...counts }]).toEqual([name, expected]);
    differences += counts.offToOn + counts.onToOff;
  }
  return differences;
}
