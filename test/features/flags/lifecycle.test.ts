import { beforeAll, describe, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { Flags, INVALID, MISSING } from '../../support/flags.ts';
import { CLIENT_TOKEN, useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;
let productionToken: string;

beforeAll(async () => {
  flags = new Flags(service);
  const body = { type: 'client', tokenName: 'in production', environment: 'production' };
  productionToken = (await accepted(service, 'createApiToken', { body })).body.secret;
});

async function use(names: readonly string[], environment: 'development' | 'production' = 'development', yes = 1) {
  const token = environment === 'production' ? productionToken : CLIENT_TOKEN;
  const toggles = Object.fromEntries(names.map((name) => [name, { yes, no: 0 }]));
  const body = { appName: 'app', instanceId: 'i', bucket: { start: Date.now(), stop: Date.now(), toggles } };
  await accepted(service, 'registerClientMetrics', { token, body });
  await service.running.services.reportRecorder.flush();
}

const stages = async (featureName: string) =>
  (await flags.call('getFeatureLifecycle', { featureName })).body.map(({ stage }: { stage: string }) => stage);

const stage = async (featureName: string) => (await flags.read(featureName)).body.lifecycle.stage;

describe('the lifecycle of a flag', () => {
  it('starts at creation, and moves through usage and completion to the archive', async () => {
    const name = await flags.create();
    const { createdAt, lifecycle } = (await flags.read(name)).body;
    expect(lifecycle).toEqual({ stage: 'initial', enteredStageAt: createdAt });
    await use([name]);
    expect(await stages(name)).toEqual(['initial', 'pre-live']);
    await use([name], 'production');
    expect(await stages(name)).toEqual(['initial', 'pre-live', 'live']);
    const completing = () => flags.call('complete', { featureName: name }, { status: 'kept', statusValue: 'red' });
    const [completed, ...others] = await flags.events(completing);
    expect([completed, others]).toMatchObject([
      {
        type: 'feature-completed',
        featureName: name,
        project: 'default',
        data: { status: 'kept', statusValue: 'red' },
      },
      [],
    ]);
    expect((await flags.read(name)).body.lifecycle).toMatchObject({ stage: 'completed', status: 'kept' });
    const { body } = await flags.call('getFeatureLifecycle', { featureName: name });
    expect(body.map((step: { enteredStageAt: string }) => step.enteredStageAt)).toEqual(
      body.map((step: { enteredStageAt: string }) => step.enteredStageAt).sort(),
    );
    const [uncompleted] = await flags.events(() => flags.call('uncomplete', { featureName: name }));
    expect(uncompleted).toMatchObject({ type: 'feature-uncompleted', featureName: name });
    expect(await stages(name)).toEqual(['initial', 'pre-live', 'live']);
    expect(await flags.events(() => flags.call('uncomplete', { featureName: name }))).toEqual([]);
    await flags.call('archiveFeature', { featureName: name });
    expect(await stages(name)).toEqual(['initial', 'pre-live', 'live', 'archived']);
    await flags.call('reviveFeature', { featureName: name });
    expect(await stages(name)).toEqual(['initial']);
    await flags.call('archiveFeature', { featureName: name });
    await flags.call('deleteFeature', { featureName: name });
    expect(service.running.services.state.get('lifecycles', name)).toBeUndefined();
  });

  it('never moves back because of usage, and moves once for many reports', async () => {
    const names = [await flags.create(), await flags.create(), await flags.create()];
    await use(names, 'production');
    for (const name of names) expect(await stages(name)).toEqual(['initial', 'live']);
    const { state } = service.running.services;
    const before = names.map((name) => state.get('lifecycles', name));
    await use(names);
    await use(names, 'production');
    for (const name of names) expect(await stages(name)).toEqual(['initial', 'live']);
    // The same objects: nothing was written again.
    for (const [index, name] of names.entries()) expect(state.get('lifecycles', name)).toBe(before[index]);
  });

  it('does not move because of usage after completion or archiving, nor because of a report with zero requests', async () => {
    const [completed, archived, unused] = [await flags.create(), await flags.create(), await flags.create()];
    await flags.call('complete', { featureName: completed }, { status: 'discarded' });
    await flags.call('archiveFeature', { featureName: archived });
    await use([completed, archived], 'production');
    await use([unused], 'production', 0);
    expect(await stages(completed)).toEqual(['initial', 'completed']);
    expect(await stages(archived)).toEqual(['initial', 'archived']);
    expect(await stages(unused)).toEqual(['initial']);
    expect((await flags.call('getFeatureLifecycle', { featureName: completed })).body[1]).toMatchObject({
      status: 'discarded',
    });
  });

  it('is counted over all flags', async () => {
    const counts = async () => (await flags.call('getFeatureLifecycleCount')).body;
    const before = await counts();
    const names = [await flags.create(), await flags.create(), await flags.create(), await flags.create()];
    const [first = '', second = '', third = '', fourth = ''] = names;
    await use([first]);
    await use([second], 'production');
    await flags.call('complete', { featureName: third }, { status: 'kept' });
    await flags.call('complete', { featureName: fourth }, { status: 'kept' });
    await flags.call('archiveFeature', { featureName: fourth });
    const after = await counts();
    const grown = Object.fromEntries(Object.keys(after).map((key) => [key, after[key] - before[key]]));
    expect(grown).toEqual({ initial: 0, preLive: 1, live: 1, completed: 1, archived: 1 });
    await flags.create();
    expect((await counts()).initial).toBe(after.initial + 1);
  });

  it('is found in its project only, and refuses an invalid completion', async () => {
    const projectId = await flags.otherProject();
    const name = await flags.create();
    const foreign = { projectId, featureName: name };
    for (const operationId of ['complete', 'uncomplete', 'getFeatureLifecycle']) {
      const body = operationId === 'complete' ? { body: { status: 'kept' } } : {};
      await flags.refused(operationId, MISSING, { params: foreign, ...body });
      await flags.refused(operationId, MISSING, { params: { featureName: 'nobody' }, ...body });
    }
    for (const body of [{}, { status: 'archived' }, { status: 'kept', statusValue: 7 }])
      await flags.refused('complete', INVALID, { params: { featureName: name }, body });
    expect(await stage(name)).toBe('initial');
  });
});
