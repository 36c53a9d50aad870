import { beforeAll, describe, expect, it } from 'vitest';
import { BATCH_MAX } from '../../../src/features/flags/schemas.ts';
import { Flags, INVALID, MISSING } from '../../support/flags.ts';
import { useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

const DEV = { environment: 'development' };
const types = (events: readonly { type: string }[]) => events.map((event) => event.type);

describe('switching a flag on', () => {
  it('adds a strategy for all users when there is none, in that environment only', async () => {
    const featureName = await flags.create();
    const events = await flags.events(() => flags.call('toggleFeatureEnvironmentOn', { featureName, ...DEV }));
    const entry = await flags.environment(featureName);
    expect(entry).toMatchObject({
      enabled: true,
      hasStrategies: true,
      hasEnabledStrategies: true,
      strategies: [
        {
          name: 'flexibleRollout',
          disabled: false,
          parameters: { rollout: '100', stickiness: 'default', groupId: featureName },
          constraints: [],
          segments: [],
          variants: [],
        },
      ],
    });
    expect(await flags.environment(featureName, 'production')).toMatchObject({ enabled: false, strategies: [] });
    expect((await flags.read(featureName)).body.enabled).toBe(true);
    expect(types(events)).toEqual(['feature-strategy-add', 'feature-environment-enabled']);
    expect(events[1]).toMatchObject({ project: 'default', environment: 'development', featureName });
  });

  it('uses the stickiness of the project', async () => {
    const projectId = await flags.otherProject();
    const project = flags.state.get('projects', projectId);
    if (!project) throw new Error('no project');
    const by = { id: 1, name: 'test' };
    await service.running.services.writer.submit(
      { decide: ({ draft }) => draft.put('projects', { ...project, defaultStickiness: 'userId' }) },
      undefined,
      by,
    );
    const featureName = await flags.create({}, projectId);
    await flags.call('toggleFeatureEnvironmentOn', { projectId, featureName, ...DEV });
    const { body } = await flags.call('getFeatureEnvironment', { projectId, featureName, ...DEV });
    expect(body.strategies[0].parameters.stickiness).toBe('userId');
  });

  it('does not change the strategies when one is active', async () => {
    const featureName = await flags.create();
    await flags.call('addFeatureStrategy', { featureName, ...DEV }, { name: 'default' });
    const events = await flags.events(() => flags.call('toggleFeatureEnvironmentOn', { featureName, ...DEV }));
    expect(types(events)).toEqual(['feature-environment-enabled']);
    expect((await flags.environment(featureName)).strategies).toHaveLength(1);
  });

  it('adds a strategy to disabled ones, or enables those on request', async () => {
    const [one, two] = [await flags.create(), await flags.create()];
    for (const featureName of [one, two]) {
      await flags.call('addFeatureStrategy', { featureName, ...DEV }, { name: 'default', disabled: true });
    }
    await flags.call('toggleFeatureEnvironmentOn', { featureName: one, ...DEV });
    expect((await flags.environment(one)).strategies).toMatchObject([
      { name: 'default', disabled: true },
      { name: 'flexibleRollout', disabled: false },
    ]);
    const query = 'shouldActivateDisabledStrategies=true';
    const on = () => flags.call('toggleFeatureEnvironmentOn', { featureName: two, ...DEV }, undefined, query);
    expect(types(await flags.events(on))).toEqual(['feature-strategy-update', 'feature-environment-enabled']);
    expect((await flags.environment(two)).strategies).toMatchObject([{ name: 'default', disabled: false }]);
  });

  it('does nothing the second time', async () => {
    const featureName = await flags.create();
    await flags.call('toggleFeatureEnvironmentOn', { featureName, ...DEV });
    const again = await flags.events(() => flags.call('toggleFeatureEnvironmentOn', { featureName, ...DEV }));
    expect(again).toEqual([]);
    expect((await flags.environment(featureName)).strategies).toHaveLength(1);
  });
});

describe('switching a flag off', () => {
  it('keeps its strategies', async () => {
    const featureName = await flags.create();
    await flags.call('toggleFeatureEnvironmentOn', { featureName, ...DEV });
    const events = await flags.events(() => flags.call('toggleFeatureEnvironmentOff', { featureName, ...DEV }));
    expect(types(events)).toEqual(['feature-environment-disabled']);
    expect(await flags.environment(featureName)).toMatchObject({ enabled: false, hasStrategies: true });
    const again = await flags.events(() => flags.call('toggleFeatureEnvironmentOff', { featureName, ...DEV }));
    expect(again).toEqual([]);
  });
});

describe('several flags at once', () => {
  it('are switched on and off', async () => {
    const features = [await flags.create(), await flags.create()];
    await flags.call('bulkToggleFeaturesEnvironmentOn', DEV, { features });
    for (const name of features) expect((await flags.environment(name)).enabled).toBe(true);
    await flags.call('bulkToggleFeaturesEnvironmentOff', DEV, { features });
    for (const name of features) expect((await flags.environment(name)).enabled).toBe(false);
  });

  it.each(['bulkToggleFeaturesEnvironmentOn', 'bulkToggleFeaturesEnvironmentOff'])(
    '%s does all or none',
    async (id) => {
      const [one, two] = [await flags.create(), await flags.create()];
      await flags.call('toggleFeatureEnvironmentOn', { featureName: two, ...DEV });
      const projectId = await flags.otherProject();
      await flags.refused(id, MISSING, { body: { features: [one, two, 'nope'] } });
      await flags.refused(id, MISSING, { params: { projectId }, body: { features: [one] } });
      await flags.refused(id, MISSING, { params: { environment: 'nope' }, body: { features: [one] } });
      await flags.refused(id, INVALID, { body: { features: one } });
      await flags.refused(id, INVALID, { body: { features: Array(BATCH_MAX + 1).fill(one) } });
    },
  );
});

describe('a flag or an environment that is missing or archived', () => {
  it.each(['getFeatureEnvironment', 'toggleFeatureEnvironmentOn', 'toggleFeatureEnvironmentOff'])(
    'is not found by %s, nor in another project',
    async (operationId) => {
      const featureName = await flags.create();
      const projectId = await flags.otherProject();
      await flags.refused(operationId, MISSING, { params: { featureName: 'nope' } });
      await flags.refused(operationId, MISSING, { params: { projectId, featureName } });
      await flags.refused(operationId, MISSING, { params: { projectId: 'nope', featureName } });
      await flags.refused(operationId, MISSING, { params: { featureName, environment: 'nope' } });
      await flags.refused(operationId, MISSING, { params: { featureName, environment: '__proto__' } });
    },
  );

  it('cannot be switched when it is archived, and no flag can be switched with an invalid query', async () => {
    const featureName = await flags.create();
    const query = 'shouldActivateDisabledStrategies=perhaps';
    await flags.refused('toggleFeatureEnvironmentOn', INVALID, { params: { featureName }, query });
    await flags.call('archiveFeature', { featureName });
    await flags.refused('toggleFeatureEnvironmentOn', MISSING, { params: { featureName } });
    await flags.refused('toggleFeatureEnvironmentOff', MISSING, { params: { featureName } });
  });
});
