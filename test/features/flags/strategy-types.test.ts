import { beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN_STRATEGIES } from '../../../src/features/instance/bootstrap.ts';
import { BUILT_IN_STRATEGY_NAMES } from '../../../src/model/strategy-type.ts';
import { Flags, INVALID, TAKEN } from '../../support/flags.ts';
import { useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

const BODY = {
  title: 'T',
  description: 'd',
  parameters: [{ name: 'p', type: 'list', description: 'x', required: true }],
};

async function create(): Promise<string> {
  const name = flags.name('custom');
  await flags.call('createStrategy', {}, { name, ...BODY });
  return name;
}

describe('strategy types', () => {
  it('start with the built-in ones, which are those that evaluation supports', async () => {
    const { body } = await flags.call('getAllStrategies');
    const builtIn = body.strategies.filter((type: { editable: boolean }) => !type.editable);
    expect(builtIn.map((type: { name: string }) => type.name)).toEqual(BUILT_IN_STRATEGIES.map((type) => type.name));
    expect(new Set(BUILT_IN_STRATEGIES.map((type) => type.name))).toEqual(BUILT_IN_STRATEGY_NAMES);
  });

  it('have parameters that are optional strings by default', async () => {
    const name = flags.name('custom');
    const { body } = await flags.call('createStrategy', {}, { name, parameters: [{ name: 'p' }] });
    expect(body.parameters).toEqual([{ name: 'p', type: 'string', description: '', required: false }]);
    expect(body).toMatchObject({ title: null, description: null });
  });

  it('are replaced unless they are built in', async () => {
    const name = await create();
    await flags.call('updateStrategy', { name }, { description: 'e', parameters: [] });
    const { body } = await flags.call('getStrategy', { name });
    expect(body).toMatchObject({ title: null, description: 'e', parameters: [] });
    await flags.refused('updateStrategy', INVALID, { params: { name: 'default' }, body: { parameters: [] } });
  });

  it('are deleted unless they are built in or a flag uses them, archived or not', async () => {
    const name = await create();
    const featureName = await flags.create();
    const params = { featureName, environment: 'development' };
    const { body } = await flags.call('addFeatureStrategy', params, { name });
    await flags.refused('removeStrategy', TAKEN, { params: { name } });
    await flags.call('archiveFeature', { featureName });
    await flags.refused('removeStrategy', TAKEN, { params: { name } });
    await flags.call('reviveFeature', { featureName });
    await flags.call('deleteFeatureStrategy', { ...params, strategyId: body.id });
    await flags.call('removeStrategy', { name });
    await flags.refused('removeStrategy', INVALID, { params: { name: 'flexibleRollout' } });
  });

  it('are deprecated and reactivated, the built-in ones too, except the default one', async () => {
    const name = await create();
    const events = await flags.events(async () => {
      await flags.call('deprecateStrategy', { name });
      await flags.call('deprecateStrategy', { name });
      await flags.call('reactivateStrategy', { name });
    });
    expect(events.map((event) => event.type)).toEqual(['strategy-deprecated', 'strategy-reactivated']);
    await flags.call('deprecateStrategy', { name: 'applicationHostname' });
    expect((await flags.call('getStrategy', { name: 'applicationHostname' })).body.deprecated).toBe(true);
    await flags.refused('deprecateStrategy', INVALID, { params: { name: 'default' } });
  });
});
