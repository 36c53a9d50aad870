import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, CONFLICT, eventsOf, flag, MISSING, prepare, refused, switchedOn } from '../../support/admin.ts';
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
  it('are created for every project, without fields that are unknown', async () => {
    const sent = { name: 'beta', constraints: [{ ...beta, unknown: true }], id: 99 };
    const { body } = await accepted(service, 'createSegment', { body: sent });
    expect(body).toMatchObject({ usedInFeatures: 0, usedInProjects: 0, createdBy: 'init-admin-1' });
    expect(body).not.toHaveProperty('project');
    expect(body.constraints[0]).not.toHaveProperty('unknown');
    expect(body.id).not.toBe(99);
  });

  it('can belong to one project', async () => {
    const [event] = await eventsOf(service, async () => {
      const id = await create('of-shop', { project: 'shop' });
      expect(await read(id)).toMatchObject({ name: 'of-shop', project: 'shop' });
    });
    expect(event).toMatchObject({ type: 'segment-created', project: 'shop' });
  });

  it('are listed by name', async () => {
    const { body } = await accepted(service, 'getSegments');
    const names = body.segments.map(({ name }: { name: string }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toContain('beta');
  });

  it('are replaced, and the flags that use them change at once', async () => {
    const id = await create('followed', { description: 'kept' });
    await prepare(service, (draft) =>
      draft.put('features', flag('follower', { environments: [switchedOn('development', [id])] })),
    );
    const etag = (await accepted(service, 'getAllClientFeatures')).headers.get('etag');
    const replacement = [{ contextName: 'userId', operator: 'NOT_IN', values: ['3'] }];
    const body = { name: 'followed too', constraints: replacement };
    expect((await accepted(service, 'updateSegment', { params: { id }, body })).status).toBe(204);
    expect(await read(id)).toMatchObject({ name: 'followed too', description: 'kept', constraints: replacement });
    const list = await accepted(service, 'getAllClientFeatures');
    expect(list.headers.get('etag')).not.toBe(etag);
    expect(list.body.features).toMatchObject([{ name: 'follower', strategies: [{ constraints: replacement }] }]);
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
