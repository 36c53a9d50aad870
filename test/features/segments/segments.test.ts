import { beforeAll, describe, expect, it } from 'vitest';
import {
  accepted,
  CONFLICT,
  eventsOf,
  flag,
  INVALID,
  MISSING,
  prepare,
  refused,
  switchedOn,
} from '../../support/admin.ts';
import { useService } from '../../support/service.ts';

const service = useService();

beforeAll(async () => {
  await accepted(service, 'createProject', { body: { id: 'shop', name: 'Shop' } });
});

const beta = { contextName: 'userId', operator: 'IN', values: ['1', '2'] };

async function create(name: string, rest: Record<string, unknown> = {}): Promise<number> {
  return (await accepted(service, 'createSegment', { body: { name, constraints: [beta], ...rest } })).body.id;
}

const read = async (id: number) => (await accepted(service, 'getSegment', { params: { id } })).body;

describe('segments', () => {
  it('are created for every project, with their location in the answer', async () => {
    const [event] = await eventsOf(service, async () => {
      const body = { name: 'beta', description: 'Testers', constraints: [{ ...beta, unknown: true }], id: 99 };
      const answer = await accepted(service, 'createSegment', { body });
      expect(answer.status).toBe(201);
      expect(answer.headers.get('location')).toBe(`/api/admin/segments/${answer.body.id}`);
      expect(answer.body).toMatchObject({
        name: 'beta',
        description: 'Testers',
        constraints: [beta],
        usedInFeatures: 0,
        usedInProjects: 0,
        createdBy: 'init-admin-1',
      });
      expect(answer.body).not.toHaveProperty('project');
      expect(answer.body.constraints[0]).not.toHaveProperty('unknown');
      expect(answer.body.id).not.toBe(99);
    });
    expect(event).toMatchObject({ type: 'segment-created', project: null, data: { name: 'beta' }, preData: null });
  });

  it('can belong to one project', async () => {
    const [event] = await eventsOf(service, async () => {
      const id = await create('of-shop', { project: 'shop' });
      expect(await read(id)).toMatchObject({ name: 'of-shop', project: 'shop' });
    });
    expect(event).toMatchObject({ type: 'segment-created', project: 'shop' });
  });

  it('never reuse the id of a deleted segment', async () => {
    const id = await create('short-lived');
    await accepted(service, 'removeSegment', { params: { id } });
    expect(await create('next')).toBeGreaterThan(id);
  });

  it('are listed by name', async () => {
    const { body } = await accepted(service, 'getSegments');
    const names = body.segments.map(({ name }: { name: string }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toContain('beta');
  });

  it('have unique names', async () => {
    const id = await create('mine');
    await refused(service, 'createSegment', CONFLICT, { body: { name: 'beta', constraints: [] } });
    await refused(service, 'updateSegment', CONFLICT, { params: { id }, body: { name: 'beta', constraints: [] } });
    await refused(service, 'validateSegment', CONFLICT, { body: { name: 'beta' } });
    expect((await accepted(service, 'validateSegment', { body: { name: 'Beta 2' } })).status).toBe(204);
    await refused(service, 'validateSegment', INVALID, { body: { name: '' } });
  });

  it.each([
    ['no name', { constraints: [] }],
    ['a blank name', { name: ' ', constraints: [] }],
    ['a name that is too long', { name: 'x'.repeat(101), constraints: [] }],
    ['no constraints', { name: 'x' }],
    ['a project that does not exist', { name: 'x', constraints: [], project: 'nowhere' }],
    ['an unknown operator', { name: 'x', constraints: [{ contextName: 'userId', operator: 'LIKE', values: [] }] }],
    ['no number', { name: 'x', constraints: [{ contextName: 'age', operator: 'NUM_GT', value: 'old' }] }],
    ['no date', { name: 'x', constraints: [{ contextName: 'currentTime', operator: 'DATE_AFTER', value: 'soon' }] }],
    ['no version', { name: 'x', constraints: [{ contextName: 'v', operator: 'SEMVER_EQ', value: 'v1.0' }] }],
    ['no expression', { name: 'x', constraints: [{ contextName: 'v', operator: 'REGEX', value: '(' }] }],
    ['no address', { name: 'x', constraints: [{ contextName: 'ip', operator: 'IN_CIDR', values: ['10.0.0.0/99'] }] }],
  ])('are not created with %s', async (_what, body) => {
    await refused(service, 'createSegment', INVALID, { body });
  });

  it('return 404 when they do not exist', async () => {
    const params = { id: 4711 };
    await refused(service, 'getSegment', MISSING, { params });
    await refused(service, 'updateSegment', MISSING, { params, body: { name: 'x', constraints: [] } });
    await refused(service, 'removeSegment', MISSING, { params });
    await refused(service, 'getStrategiesBySegmentId', MISSING, { params });
    await refused(service, 'getSegment', INVALID, { params: { id: 'beta' } });
  });

  it('are replaced, and the flags that use them change at once', async () => {
    const id = await create('followed', { description: 'kept' });
    await prepare(service, (draft) =>
      draft.put('features', flag('follower', { environments: [switchedOn('development', [id])] })),
    );
    const etag = (await accepted(service, 'getAllClientFeatures')).headers.get('etag');
    const replacement = [{ contextName: 'userId', operator: 'NOT_IN', values: ['3'] }];
    const [event] = await eventsOf(service, async () => {
      const body = { name: 'followed too', constraints: replacement };
      expect((await accepted(service, 'updateSegment', { params: { id }, body })).status).toBe(204);
    });
    expect(await read(id)).toMatchObject({ name: 'followed too', description: 'kept', constraints: replacement });
    expect(event).toMatchObject({
      type: 'segment-updated',
      data: { name: 'followed too', constraints: replacement },
      preData: { name: 'followed', constraints: [beta] },
    });
    const list = await accepted(service, 'getAllClientFeatures');
    expect(list.headers.get('etag')).not.toBe(etag);
    expect(list.body.features).toMatchObject([{ name: 'follower', strategies: [{ constraints: replacement }] }]);
    await refused(service, 'updateSegment', INVALID, { params: { id }, body: { name: 'x', constraints: [{}] } });
    await refused(service, 'updateSegment', INVALID, {
      params: { id },
      body: { name: 'x', constraints: [], project: 'nowhere' },
    });
  });

  it('report where they are used', async () => {
    const id = await create('used');
    await prepare(service, (draft) => {
      const environments = [switchedOn('development', [id]), switchedOn('production', [id])];
      draft.put('features', flag('user-1', { environments }));
      draft.put('features', flag('user-2', { project: 'shop', environments: [switchedOn('production', [1, id])] }));
      draft.put('features', flag('no-user', { environments: [switchedOn('production', [1])] }));
    });
    expect(await read(id)).toMatchObject({ usedInFeatures: 2, usedInProjects: 2 });
    const { body } = await accepted(service, 'getStrategiesBySegmentId', { params: { id } });
    const at = { strategyName: 'default' };
    expect(body.strategies).toEqual([
      {
        ...at,
        id: `strategy-development-${id}`,
        featureName: 'user-1',
        projectId: 'default',
        environment: 'development',
      },
      {
        ...at,
        id: `strategy-production-${id}`,
        featureName: 'user-1',
        projectId: 'default',
        environment: 'production',
      },
      { ...at, id: `strategy-production-1-${id}`, featureName: 'user-2', projectId: 'shop', environment: 'production' },
    ]);
  });

  it('are found by the strategy that uses them', async () => {
    const id = (await accepted(service, 'getSegments')).body.segments.find(
      ({ name }: { name: string }) => name === 'used',
    ).id;
    const of = async (strategyId: string) =>
      (await accepted(service, 'getSegmentsByStrategyId', { params: { strategyId } })).body.segments;
    expect((await of(`strategy-production-1-${id}`)).map((segment: { id: number }) => segment.id)).toEqual([1, id]);
    expect(await of('nobody')).toEqual([]);
  });

  it('cannot be limited to one project while flags of other projects use them', async () => {
    const id = await create('shared');
    await prepare(service, (draft) =>
      draft.put('features', flag('sharer', { project: 'shop', environments: [switchedOn('production', [id])] })),
    );
    const body = { name: 'shared', constraints: [] };
    await refused(service, 'updateSegment', CONFLICT, { params: { id }, body: { ...body, project: 'default' } });
    await accepted(service, 'updateSegment', { params: { id }, body: { ...body, project: 'shop' } });
    expect(await read(id)).toMatchObject({ project: 'shop' });
    await accepted(service, 'updateSegment', { params: { id }, body });
    expect(await read(id)).not.toHaveProperty('project');
  });

  it('are deleted only when no unarchived flag uses them; strategies of archived flags lose them and are disabled', async () => {
    const id = await create('kept');
    const other = await create('stays');
    const using = flag('keeper', { environments: [switchedOn('production', [id, other])] });
    await prepare(service, (draft) => draft.put('features', using));
    const { body } = await refused(service, 'removeSegment', CONFLICT, { params: { id } });
    expect(body.message).toContain('keeper');
    const params = { projectId: 'default', featureName: 'keeper' };
    await accepted(service, 'archiveFeature', { params });
    const [update, event] = await eventsOf(service, async () => {
      expect((await accepted(service, 'removeSegment', { params: { id } })).status).toBe(204);
    });
    const at = { type: 'feature-strategy-update', featureName: 'keeper', environment: 'production' };
    expect(update).toMatchObject({ ...at, data: { segments: [other], disabled: true } });
    await accepted(service, 'reviveFeature', { params });
    const { body: revived } = await accepted(service, 'getFeature', { params });
    const production = revived.environments.find(({ name }: { name: string }) => name === 'production');
    expect(production.strategies).toMatchObject([{ segments: [other], disabled: true }]);
    await prepare(service, (draft) => draft.remove('features', 'keeper'));
    expect(event).toMatchObject({ type: 'segment-deleted', data: null, preData: { id, name: 'kept' } });
    await refused(service, 'getSegment', MISSING, { params: { id } });
  });
});
