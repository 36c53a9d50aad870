import { beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN_STRATEGIES } from '../../../src/features/instance/bootstrap.ts';
import { BUILT_IN_STRATEGY_NAMES } from '../../../src/model/strategy-type.ts';
import { Flags, INVALID, MISSING, TAKEN } from '../../support/flags.ts';
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

  it('are created, read, listed and logged', async () => {
    const name = flags.name('custom');
    let location: string | null = null;
    const events = await flags.events(async () => {
      const answer = await flags.call('createStrategy', {}, { name, ...BODY });
      expect(answer.status).toBe(201);
      location = answer.headers.get('location');
    });
    expect(location).toBe(`/api/admin/strategies/${name}`);
    expect((await flags.call('getStrategy', { name })).body).toMatchObject({ name, ...BODY, editable: true });
    const { body } = await flags.call('getAllStrategies');
    expect(body.strategies).toContainEqual(expect.objectContaining({ name, deprecated: false }));
    expect(events).toMatchObject([{ type: 'strategy-created', data: { name } }]);
  });

  it('have parameters that are optional strings by default', async () => {
    const name = flags.name('custom');
    const { body } = await flags.call('createStrategy', {}, { name, parameters: [{ name: 'p' }] });
    expect(body.parameters).toEqual([{ name: 'p', type: 'string', description: '', required: false }]);
    expect(body).toMatchObject({ title: null, description: null });
  });

  it('are refused with a name in use, an invalid name, or invalid parameters', async () => {
    const name = await create();
    const other = flags.name('custom');
    await flags.refused('createStrategy', TAKEN, { body: { name, parameters: [] } });
    await flags.refused('createStrategy', TAKEN, { body: { name: 'default', parameters: [] } });
    await flags.refused('createStrategy', INVALID, { body: { name: 'a b', parameters: [] } });
    await flags.refused('createStrategy', INVALID, { body: { name: other } });
    await flags.refused('createStrategy', INVALID, {
      body: { name: other, parameters: [{ name: 'p', type: 'date' }] },
    });
    await flags.refused('createStrategy', INVALID, {
      body: { name: other, parameters: [{ name: 'p' }, { name: 'p' }] },
    });
  });

  it('are replaced', async () => {
    const name = await create();
    const events = await flags.events(() =>
      flags.call('updateStrategy', { name }, { description: 'e', parameters: [] }),
    );
    const { body } = await flags.call('getStrategy', { name });
    expect(body).toMatchObject({ title: null, description: 'e', parameters: [] });
    expect(events).toMatchObject([
      { type: 'strategy-updated', data: { description: 'e' }, preData: { description: 'd' } },
    ]);
    const bad = { parameters: [{ name: 'p' }, { name: 'p' }] };
    await flags.refused('updateStrategy', INVALID, { params: { name }, body: bad });
    await flags.refused('updateStrategy', INVALID, { params: { name }, body: {} });
    await flags.refused('updateStrategy', MISSING, { params: { name: 'nope' }, body: { parameters: [] } });
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
    const events = await flags.events(() => flags.call('removeStrategy', { name }));
    expect(events).toMatchObject([{ type: 'strategy-deleted', preData: { name } }]);
    await flags.refused('getStrategy', MISSING, { params: { name } });
    await flags.refused('removeStrategy', MISSING, { params: { name } });
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
    await flags.refused('deprecateStrategy', MISSING, { params: { name: 'nope' } });
    await flags.refused('reactivateStrategy', MISSING, { params: { name: 'nope' } });
  });
});
