import { beforeAll, describe, expect, it } from 'vitest';
import { strategyEndpoints } from '../../../src/features/flags/strategies/routes.ts';
import { Flags, INVALID, MISSING } from '../../support/flags.ts';
import { useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

const DEV = { environment: 'development' };
const types = (events: readonly { type: string }[]) => events.map((event) => event.type);

async function add(featureName: string, body: Record<string, unknown> = { name: 'default' }) {
  return (await flags.call('addFeatureStrategy', { featureName, ...DEV }, body)).body;
}

async function list(featureName: string): Promise<{ id: string; title: string | null }[]> {
  return (await flags.call('getFeatureStrategies', { featureName, ...DEV })).body;
}

describe('adding a strategy', () => {
  it('stores the strategy, records an event, and makes it visible to SDKs', async () => {
    const featureName = await flags.create();
    const segments = [await flags.segment()];
    const body = {
      name: 'flexibleRollout',
      title: 'half',
      parameters: { rollout: '50', stickiness: 'userId', groupId: 'g' },
      constraints: [{ contextName: 'userId', operator: 'IN', values: ['1', '2'], inverted: true }],
      segments,
    };
    const events = await flags.events(() => add(featureName, body));
    const [strategy] = await list(featureName);
    expect(strategy).toMatchObject({ ...body, disabled: false, sortOrder: 0, variants: [], featureName });
    expect(events).toMatchObject([
      { type: 'feature-strategy-add', project: 'default', environment: 'development', featureName, data: body },
    ]);
    await flags.call('toggleFeatureEnvironmentOn', { featureName, ...DEV });
    const client = await service.call('getClientFeature', { params: { featureName } });
    expect(client.body).toMatchObject({ enabled: true, strategies: [{ name: 'flexibleRollout' }] });
    const { id } = strategy ?? { id: '' };
    expect((await flags.call('getFeatureStrategy', { featureName, ...DEV, strategyId: id })).body).toEqual(strategy);
  });

  it('answers with what the rules then cost and weigh, after every kind of write', async () => {
    const featureName = await flags.create();
    const measured = async () => (await flags.call('getFeatureEnvironment', { featureName, ...DEV })).body.measures;
    const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1', '2'] }];
    const { id: strategyId, measures } = await add(featureName, { name: 'default', constraints });
    expect(measures).toEqual(await measured());
    expect(Object.keys(measures)).toEqual(['evaluationCost', 'expressionCost', 'featureBytes', 'storedFeatureBytes']);
    const params = { featureName, ...DEV, strategyId };
    const title = 'a title that is stored';
    const updated = await flags.call('updateFeatureStrategy', params, { name: 'default', title, constraints });
    expect(updated.body.measures).toEqual(await measured());
    expect(updated.body.measures.storedFeatureBytes.value).toBeGreaterThan(measures.storedFeatureBytes.value);
    const patched = await flags.call('patchFeatureStrategy', params, [
      { op: 'add', path: '/constraints/1', value: { ...constraints[0], contextName: 'country' } },
    ]);
    expect(patched.body.measures).toEqual(await measured());
    expect(patched.body.measures.evaluationCost.value).toBeGreaterThan(measures.evaluationCost.value);
    // A client that sends the answer back changes nothing by it.
    const again = await flags.call('updateFeatureStrategy', params, patched.body);
    expect(again.body).toEqual(patched.body);
  });

  it('adds the default parameters of a gradual rollout, and drops unknown properties', async () => {
    const featureName = await flags.create();
    const strategy = await add(featureName, {
      name: 'flexibleRollout',
      parameters: { rollout: '7' },
      id: 'mine',
      x: 1,
    });
    expect(strategy.parameters).toEqual({ rollout: '7', stickiness: 'default', groupId: featureName });
    expect(strategy.id).not.toBe('mine');
    expect(strategy).not.toHaveProperty('x');
    expect((await add(featureName)).parameters).toEqual({});
  });

  it('keeps parameters with names that are special in JavaScript', async () => {
    const featureName = await flags.create();
    const parameters = { constructor: 'c', toString: 't' };
    expect((await add(featureName, { name: 'default', parameters })).parameters).toEqual(parameters);
  });

  it('distributes the weights of variants', async () => {
    const featureName = await flags.create();
    const variant = (name: string) => ({ name, weight: 0, weightType: 'variable', stickiness: 'default' });
    const { variants } = await add(featureName, { name: 'default', variants: ['a', 'b', 'c'].map(variant) });
    expect(variants.map(({ weight }: { weight: number }) => weight)).toEqual([334, 333, 333]);
  });

  it('accepts custom strategies that exist', async () => {
    const name = flags.name('custom');
    await flags.call('createStrategy', {}, { name, parameters: [] });
    const featureName = await flags.create();
    const strategy = await add(featureName, { name, parameters: { rollout: 'many' } });
    expect(strategy).toMatchObject({ name, parameters: { rollout: 'many' } });
  });

  it('returns the same error for a segment of another project as for an unknown one: that project may be private', async () => {
    const elsewhere = await flags.segment(await flags.otherProject());
    const where = { featureName: await flags.create(), environment: 'development' };
    const messageFor = async (id: number) => {
      const body = { name: 'default', segments: [id] };
      const answer = await flags.refused('addFeatureStrategy', INVALID, { params: where, body });
      return String(answer.body.message).replace(String(id), '#');
    };
    expect(await messageFor(elsewhere)).toBe(await messageFor(99_999));
  });

  it('accepts segments of its project', async () => {
    const segments = [await flags.segment('default')];
    expect((await add(await flags.create(), { name: 'default', segments })).segments).toEqual(segments);
  });

  it('has a sort order for a strategy after one with the largest sort order', async () => {
    const featureName = await flags.create();
    await add(featureName, { name: 'default', sortOrder: 2_147_483_647 });
    const behind = await add(featureName, { name: 'default' });
    expect(behind.sortOrder).toBe(2_147_483_647);
    const listed = await flags.call('getFeatureStrategies', { featureName, environment: 'development' });
    expect(listed.body.at(-1).id).toBe(behind.id);
  });

  it('refuses invalid strategies', async () => {
    const featureName = await flags.create();
    const elsewhere = await flags.segment(await flags.otherProject());
    const fixed = { name: 'a', weight: 1000, weightType: 'fix', stickiness: 'default' };
    const rest = { ...fixed, weight: 0, weightType: 'variable' };
    const bad: Record<string, unknown>[] = [
      {},
      { name: '' },
      { name: 'unknownStrategy' },
      { name: '__proto__' },
      { name: 'default', parameters: { a: { b: 1 } } },
      { name: 'default', parameters: 'a=1' },
      { name: 'default', disabled: 'no' },
      { name: 'default', title: 'x'.repeat(501) },
      { name: 'default', sortOrder: 1e308 },
      { name: 'default', sortOrder: -2_147_483_649 },
      { name: 'flexibleRollout', parameters: { rollout: '101' } },
      { name: 'flexibleRollout', parameters: { rollout: '-1' } },
      { name: 'flexibleRollout', parameters: { rollout: 'half' } },
      { name: 'gradualRolloutRandom', parameters: { percentage: '' } },
      { name: 'default', segments: [99_999] },
      { name: 'default', segments: [elsewhere] },
      { name: 'default', segments: ['one'] },
      { name: 'default', variants: [fixed] },
      { name: 'default', variants: [{ ...rest, weightType: undefined }] },
      { name: 'default', variants: [rest, rest] },
      { name: 'default', variants: [fixed, { ...rest, name: 'b' }] },
      { name: 'default', variants: [{ ...rest, weight: 1001 }] },
    ];
    for (const body of bad) await flags.refused('addFeatureStrategy', INVALID, { params: { featureName }, body });
  });
});

describe('constraints', () => {
  const single = (operator: string, value?: string) => ({ contextName: 'region', operator, value });
  const several = (operator: string, values?: string[]) => ({ contextName: 'region', operator, values });

  it('accept every operator with a value of the matching type', async () => {
    const constraints = [
      ...['IN', 'NOT_IN', 'STR_CONTAINS', 'STR_STARTS_WITH', 'STR_ENDS_WITH'].map((name) => several(name, ['a', 'ä'])),
      ...['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'].map((name) => single(name, '-2.5')),
      ...['DATE_AFTER', 'DATE_BEFORE'].map((name) => single(name, '2030-05-05T05:05:05.000Z')),
      ...['EQ', 'GT', 'LT', 'GTE', 'LTE'].map((name) => single(`SEMVER_${name}`, '1.2.3-beta.1')),
      { ...single('REGEX', '^a(b|c){2,3}\\pL+$'), caseInsensitive: true },
      several('IN_CIDR', ['10.0.0.0/8', '::1', '127.0.0.1', '2001:db8::/32']),
      several('IN', []),
    ];
    const strategy = await add(await flags.create(), { name: 'default', constraints });
    expect(strategy.constraints).toHaveLength(constraints.length);
    expect(strategy.constraints[5]).toEqual({ contextName: 'region', operator: 'NUM_EQ', values: [], value: '-2.5' });
  });

  const BAD: [string, Record<string, unknown>][] = [
    ['an unknown operator', several('LIKE', ['a'])],
    ['no operator', { contextName: 'region', values: [] }],
    ['no field', { operator: 'IN', values: ['a'] }],
    ['an empty field', { contextName: '', operator: 'IN', values: ['a'] }],
    ['a list operator without a list', several('IN')],
    ['a list operator with a single value', single('STR_CONTAINS', 'a')],
    ['a list of lists', { contextName: 'region', operator: 'IN', values: [[1]] }],
    ['a number operator without a value', single('NUM_EQ')],
    ['a number operator with a list', several('NUM_EQ', ['1'])],
    ['a blank number', single('NUM_GT', ' ')],
    ['text for a number', single('NUM_LT', 'one')],
    ['an infinite number', single('NUM_LT', 'Infinity')],
    ['a list instead of a number', { contextName: 'region', operator: 'NUM_EQ', value: [1] }],
    ['an invalid date', single('DATE_AFTER', 'tomorrow')],
    ['an incomplete version', single('SEMVER_EQ', '1.2')],
    ['a version with a leading v', single('SEMVER_GT', 'v1.2.3')],
    ['a version with blanks', single('SEMVER_LT', '1.2.3 ')],
    ['an expression that does not compile', single('REGEX', 'a(b')],
    ['an expression beyond RE2', single('REGEX', '(a)\\1')],
    ['an expression that would take seconds to compile', single('REGEX', '\\pL{1000}'.repeat(100))],
    ['an invalid address', several('IN_CIDR', ['10.0.0.0/8', 'localhost'])],
    ['an address range that is too long', several('IN_CIDR', ['10.0.0.0/33'])],
  ];

  it.each(BAD)('refuse %s', async (_title, constraint) => {
    const featureName = await flags.create();
    const body = { name: 'default', constraints: [several('IN', ['a']), constraint] };
    const answer = await flags.refused('addFeatureStrategy', INVALID, { params: { featureName }, body });
    expect(answer.body.details[0].path).toMatch(/^\/constraints\/1/);
  });

  it('refuse many expressions that are too large together', async () => {
    const featureName = await flags.create();
    const constraints = Array.from({ length: 30 }, () => single('REGEX', '.{100}'));
    await flags.refused('addFeatureStrategy', INVALID, {
      params: { featureName },
      body: { name: 'default', constraints },
    });
  });

  it('refuse values that the context field does not allow', async () => {
    const field = {
      name: flags.name('field'),
      description: null,
      stickiness: false,
      sortOrder: 9,
      createdAt: '',
      legalValues: [{ value: 'one' }, { value: '2' }],
    };
    const by = { id: 1, name: 'test' };
    await service.running.services.writer.submit(
      { decide: ({ draft }) => draft.put('contextFields', field) },
      undefined,
      by,
    );
    const featureName = await flags.create();
    const constraint = (rest: object) => ({ name: 'default', constraints: [{ contextName: field.name, ...rest }] });
    await add(featureName, constraint({ operator: 'IN', values: ['one', '2'] }));
    await add(featureName, constraint({ operator: 'NUM_GT', value: '2' }));
    await add(featureName, constraint({ operator: 'REGEX', value: 'o.e' }));
    const refuse = (rest: object) =>
      flags.refused('addFeatureStrategy', INVALID, { params: { featureName }, body: constraint(rest) });
    await refuse({ operator: 'IN', values: ['one', 'three'] });
    await refuse({ operator: 'NUM_GT', value: '3' });
  });
});

describe('changing a strategy', () => {
  it('changes only the specified properties', async () => {
    const featureName = await flags.create();
    const { id: strategyId } = await add(featureName, { name: 'flexibleRollout', title: 'one' });
    const params = { featureName, ...DEV, strategyId };
    const change = { parameters: { rollout: '10' }, constraints: [{ contextName: 'a', operator: 'IN', values: [] }] };
    const events = await flags.events(() => flags.call('updateFeatureStrategy', params, change));
    const { body } = await flags.call('getFeatureStrategy', params);
    expect(body).toMatchObject({
      id: strategyId,
      name: 'flexibleRollout',
      title: 'one',
      parameters: { rollout: '10' },
    });
    expect(events).toMatchObject([
      {
        type: 'feature-strategy-update',
        data: { title: 'one', ...change },
        preData: { parameters: { rollout: '100' } },
      },
    ]);
    const cleared = await flags.call('updateFeatureStrategy', params, { title: null });
    expect(cleared.body.title).toBeNull();
  });

  it('follows a JSON Patch', async () => {
    const featureName = await flags.create();
    const { id: strategyId } = await add(featureName, { name: 'default', title: 'one', parameters: { a: '1' } });
    const params = { featureName, ...DEV, strategyId };
    const { body } = await flags.call('patchFeatureStrategy', params, [
      { op: 'add', path: '/constraints/-', value: { contextName: 'a', operator: 'IN', values: ['1'] } },
      { op: 'add', path: '/parameters/b~1c', value: '2' },
      { op: 'remove', path: '/title' },
    ]);
    expect(body).toMatchObject({
      title: null,
      parameters: { a: '1', 'b/c': '2' },
      constraints: [{ contextName: 'a' }],
    });
    const refuse = (patch: unknown) => flags.refused('patchFeatureStrategy', INVALID, { params, body: patch });
    await refuse([{ op: 'remove', path: '/name' }]);
    await refuse([{ op: 'replace', path: '/constraints/5', value: {} }]);
    await refuse([{ op: 'add', path: '/constraints/-', value: { contextName: 'a', operator: 'NUM_EQ' } }]);
    await refuse([{ op: 'replace', path: '/segments', value: [99_999] }]);
    await refuse([{ op: 'add', path: '/parameters/__proto__', value: 'x' }]);
    await refuse([{ op: 'replace', path: '/title' }]);
  });

  it('refuses a change that would be invalid for a new strategy', async () => {
    const featureName = await flags.create();
    const { id: strategyId } = await add(featureName);
    const params = { featureName, strategyId };
    const elsewhere = await flags.segment(await flags.otherProject());
    await flags.refused('updateFeatureStrategy', INVALID, { params, body: { name: 'nope' } });
    await flags.refused('updateFeatureStrategy', INVALID, { params, body: { segments: [elsewhere] } });
    await flags.refused('updateFeatureStrategy', INVALID, { params, body: { constraints: [{ operator: 'IN' }] } });
  });

  it('switches off a flag that has no active strategy left', async () => {
    const featureName = await flags.create();
    const one = await add(featureName);
    const two = await add(featureName);
    await flags.call('toggleFeatureEnvironmentOn', { featureName, ...DEV });
    const disable = (strategyId: string) =>
      flags.call('updateFeatureStrategy', { featureName, ...DEV, strategyId }, { disabled: true });
    await disable(one.id);
    expect((await flags.environment(featureName)).enabled).toBe(true);
    const events = await flags.events(() => disable(two.id));
    expect(types(events)).toEqual(['feature-strategy-update', 'feature-environment-disabled']);
    expect((await flags.environment(featureName)).enabled).toBe(false);
  });
});

describe('removing a strategy', () => {
  it('switches the flag off when it was the last active one', async () => {
    const featureName = await flags.create();
    const one = await add(featureName, { name: 'default', title: 'one' });
    await add(featureName, { name: 'default', disabled: true });
    await flags.call('toggleFeatureEnvironmentOn', { featureName, ...DEV });
    const params = { featureName, ...DEV, strategyId: one.id };
    const events = await flags.events(() => flags.call('deleteFeatureStrategy', params));
    expect(types(events)).toEqual(['feature-strategy-remove', 'feature-environment-disabled']);
    expect(events[0]).toMatchObject({ preData: { id: one.id, title: 'one' }, data: null });
    expect(await flags.environment(featureName)).toMatchObject({ enabled: false, strategies: [{ disabled: true }] });
    await flags.refused('getFeatureStrategy', MISSING, { params });
  });
});

describe('the order of strategies', () => {
  it('is the order in which they were added, until it is set', async () => {
    const featureName = await flags.create();
    const ids: string[] = [];
    for (const title of ['one', 'two', 'three']) ids.push((await add(featureName, { name: 'default', title })).id);
    const titles = async () => (await list(featureName)).map((strategy) => strategy.title);
    expect(await titles()).toEqual(['one', 'two', 'three']);
    const order = [ids[2], ids[0], ids[1]].map((id, sortOrder) => ({ id, sortOrder }));
    const events = await flags.events(() => flags.call('setStrategySortOrder', { featureName, ...DEV }, order));
    expect(await titles()).toEqual(['three', 'one', 'two']);
    expect(events).toMatchObject([
      {
        type: 'strategy-order-changed',
        data: { strategyIds: [ids[2], ids[0], ids[1]] },
        preData: { strategyIds: ids },
      },
    ]);
    await add(featureName, { name: 'default', title: 'first', sortOrder: -1 });
    expect((await titles())[0]).toBe('first');
  });

  it('refuses strategies of other flags and invalid orders', async () => {
    const [featureName, other] = [await flags.create(), await flags.create()];
    const mine = await add(featureName);
    const theirs = await add(other);
    const inProduction = await flags.call(
      'addFeatureStrategy',
      { featureName, environment: 'production' },
      { name: 'default' },
    );
    const refuse = (expected: typeof INVALID | typeof MISSING, body: unknown) =>
      flags.refused('setStrategySortOrder', expected, { params: { featureName }, body });
    await refuse(MISSING, [
      { id: mine.id, sortOrder: 4 },
      { id: theirs.id, sortOrder: 1 },
    ]);
    await refuse(MISSING, [{ id: inProduction.body.id, sortOrder: 1 }]);
    await refuse(INVALID, [{ id: mine.id }]);
    await refuse(INVALID, { id: mine.id, sortOrder: 1 });
    await refuse(INVALID, [{ id: mine.id, sortOrder: 1e308 }]);
  });
});

describe('a strategy is found under its own path only', () => {
  it.each(strategyEndpoints.map((endpoint) => endpoint.operationId))('by %s', async (operationId) => {
    const bodies: Record<string, unknown> = {
      addFeatureStrategy: { name: 'default' },
      updateFeatureStrategy: { title: 'x' },
      patchFeatureStrategy: [{ op: 'replace', path: '/title', value: 'x' }],
      setStrategySortOrder: [],
    };
    const [featureName, other] = [await flags.create(), await flags.create()];
    const { id: strategyId } = await add(featureName);
    const projectId = await flags.otherProject();
    const elsewhere = await flags.create({}, projectId);
    const wrongParams: Record<string, string>[] = [
      { featureName, projectId },
      { featureName: elsewhere },
      { featureName: 'nope' },
      { featureName, environment: 'nope' },
    ];
    if (operationId.endsWith('FeatureStrategy') && operationId !== 'addFeatureStrategy') {
      wrongParams.push(
        { featureName: other },
        { featureName, environment: 'production' },
        { featureName, strategyId: 'nope' },
      );
      wrongParams.push({ featureName: elsewhere, projectId });
    }
    const body = bodies[operationId];
    for (const wrong of wrongParams) {
      const isNew = operationId === 'addFeatureStrategy' && wrong.environment === 'nope';
      await flags.refused(operationId, isNew ? INVALID : MISSING, { params: { strategyId, ...wrong }, body });
    }
    if (!operationId.startsWith('get')) {
      await flags.call('archiveFeature', { featureName });
      await flags.refused(operationId, MISSING, { params: { strategyId, featureName }, body });
    }
  });
});
