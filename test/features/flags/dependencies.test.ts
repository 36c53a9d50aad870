import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { dependencyEndpoints } from '../../../src/features/flags/dependencies/routes.ts';
import { Flags, INVALID, MISSING, NOT_ALLOWED } from '../../support/flags.ts';
import { useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

const types = (events: readonly { type: string }[]) => events.map((event) => event.type);

async function family(): Promise<{ parent: string; child: string }> {
  const [parent, child] = [await flags.create(), await flags.create()];
  await flags.call('addFeatureDependency', { child }, { feature: parent });
  return { parent, child };
}

describe('depending on a flag', () => {
  it('is shown on both flags, to SDKs and in the audit log', async () => {
    const [parent, child] = [await flags.create(), await flags.create()];
    const body = { feature: parent, enabled: true, variants: ['a'] };
    const events = await flags.events(() => flags.call('addFeatureDependency', { child }, body));
    expect((await flags.read(child)).body.dependencies).toEqual([body]);
    expect((await flags.read(parent)).body.children).toEqual([child]);
    const client = await service.call('getClientFeature', { params: { featureName: child } });
    expect(client.body.dependencies).toEqual([body]);
    expect(events).toMatchObject([
      { type: 'feature-dependency-added', project: 'default', featureName: child, data: body },
    ]);
  });

  it('expects the parent to be on unless the request says otherwise', async () => {
    const { parent, child } = await family();
    const dependencies = async () => (await flags.read(child)).body.dependencies;
    expect(await dependencies()).toEqual([{ feature: parent, enabled: true, variants: [] }]);
    const events = await flags.events(() =>
      flags.call('addFeatureDependency', { child }, { feature: parent, enabled: false }),
    );
    expect(await dependencies()).toEqual([{ feature: parent, enabled: false, variants: [] }]);
    expect(events).toMatchObject([{ data: { enabled: false }, preData: { enabled: true } }]);
  });

  it('allows several parents and several children', async () => {
    const { parent, child } = await family();
    const [second, sibling] = [await flags.create(), await flags.create()];
    await flags.call('addFeatureDependency', { child }, { feature: second });
    await flags.call('addFeatureDependency', { child: sibling }, { feature: parent });
    expect((await flags.read(child)).body.dependencies).toHaveLength(2);
    expect((await flags.read(parent)).body.children).toEqual([child, sibling].sort());
  });

  it('is refused for a cycle, a grandparent, an unusable parent, or an invalid request', async () => {
    const { parent, child } = await family();
    const [third, archived] = [await flags.create(), await flags.create()];
    const projectId = await flags.otherProject();
    const elsewhere = await flags.create({}, projectId);
    await flags.call('archiveFeature', { featureName: archived });
    const refuse = (name: string, body: unknown, expected: readonly [number, string] = NOT_ALLOWED) =>
      flags.refused('addFeatureDependency', expected, { params: { child: name }, body });
    await refuse(child, { feature: child });
    await refuse(parent, { feature: child });
    await refuse(parent, { feature: third });
    await refuse(third, { feature: child });
    await refuse(third, { feature: 'nope' });
    await refuse(third, { feature: '__proto__' });
    await refuse(third, { feature: archived });
    await refuse(third, { feature: elsewhere });
    await refuse(third, { feature: parent, enabled: false, variants: ['a'] }, INVALID);
    await refuse(third, { feature: parent, enabled: 'yes' }, INVALID);
    await refuse(third, { feature: parent, variants: 'a' }, INVALID);
    await refuse(third, {}, INVALID);
  });
});

describe('no longer depending on a flag', () => {
  it('removes one parent', async () => {
    const { parent, child } = await family();
    const second = await flags.create();
    await flags.call('addFeatureDependency', { child }, { feature: second });
    const events = await flags.events(() => flags.call('deleteFeatureDependency', { child, parent }));
    expect((await flags.read(child)).body.dependencies).toMatchObject([{ feature: second }]);
    expect((await flags.read(parent)).body.children).toEqual([]);
    expect(events).toMatchObject([{ type: 'feature-dependency-removed', preData: { feature: parent } }]);
    await flags.refused('deleteFeatureDependency', MISSING, { params: { child, parent } });
  });

  it('removes all parents, and does nothing when there are none', async () => {
    const { child } = await family();
    const free = () => flags.call('deleteFeatureDependencies', { child });
    expect(types(await flags.events(free))).toEqual(['feature-dependencies-removed']);
    expect((await flags.read(child)).body.dependencies).toEqual([]);
    expect(await flags.events(free)).toEqual([]);
  });
});

describe('the flags that a flag can depend on', () => {
  it('are the live ones of its project that depend on nothing', async () => {
    const { parent, child } = await family();
    const projectId = await flags.otherProject();
    const [one, archived, elsewhere] = [await flags.create(), await flags.create(), await flags.create({}, projectId)];
    await flags.call('archiveFeature', { featureName: archived });
    const { body } = await flags.call('listParentOptions', { child: one });
    expect(body).toContain(parent);
    expect(body).toEqual([...body].sort());
    for (const name of [one, child, archived, elsewhere]) expect(body).not.toContain(name);
    expect((await flags.call('listParentOptions', { projectId, child: elsewhere })).body).toEqual([]);
  });
});

describe('a missing flag or project', () => {
  const ofChildren = dependencyEndpoints.filter(({ path }) => path.includes(':child'));
  it.each(ofChildren.map((endpoint) => endpoint.operationId))('is not found by %s', async (operationId) => {
    const { parent, child } = await family();
    const projectId = await flags.otherProject();
    const body = operationId === 'addFeatureDependency' ? { feature: parent } : undefined;
    await flags.refused(operationId, MISSING, { params: { projectId, child, parent }, body });
    await flags.refused(operationId, MISSING, { params: { child: 'nope', parent }, body });
    await flags.refused(operationId, MISSING, { params: { projectId: 'nope', child, parent }, body });
    await flags.call('archiveFeature', { featureName: child });
    await flags.refused(operationId, MISSING, { params: { child, parent }, body });
  });
});

describe('any sequence of changes', () => {
  it('leaves every dependency between a live child and a live parent that depends on nothing', async () => {
    const names: string[] = [];
    for (let index = 0; index < 5; index++) names.push(await flags.create());
    const name = fc.constantFrom(...names);
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ op: fc.constant('add' as const), child: name, parent: name }) },
      { weight: 1, arbitrary: fc.record({ op: fc.constant('remove' as const), child: name, parent: name }) },
      { weight: 1, arbitrary: fc.record({ op: fc.constant('archive' as const), child: name, parent: name }) },
      { weight: 1, arbitrary: fc.record({ op: fc.constant('revive' as const), child: name, parent: name }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        for (const { op, child, parent } of steps) {
          const params = { projectId: 'default', child, parent, featureName: child };
          const operation = {
            add: 'addFeatureDependency',
            remove: 'deleteFeatureDependency',
            archive: 'archiveFeature',
            revive: 'reviveFeature',
          }[op];
          await service.call(operation, { params, body: op === 'add' ? { feature: parent } : undefined });
          for (const feature of flags.state.values('features')) {
            for (const dependency of feature.dependencies) {
              const found = flags.state.get('features', dependency.feature);
              expect([feature.archived, found?.archived, found?.dependencies]).toEqual([false, false, []]);
            }
          }
        }
      }),
      { numRuns: 15 },
    );
  });
});
