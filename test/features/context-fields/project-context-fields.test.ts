import { beforeAll, describe, expect, it } from 'vitest';
import { projectContextFieldEndpoints } from '../../../src/features/context-fields/project-routes.ts';
import { accepted, CONFLICT, eventsOf, INVALID, MISSING, refused } from '../../support/admin.ts';
import { Flags } from '../../support/flags.ts';
import { useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

const namesOf = (fields: { name: string }[]) => fields.map(({ name }) => name);

/** A project with a field of its own. */
async function projectWithField(): Promise<{ projectId: string; contextField: string }> {
  const projectId = await flags.otherProject();
  const contextField = flags.name('field');
  await flags.call('createProjectContextField', { projectId }, { name: contextField });
  return { projectId, contextField };
}

/** A flag with a strategy that has constraints on these fields. */
async function constrained(projectId: string, ...contextNames: string[]): Promise<{ name: string; id: string }> {
  const name = await flags.create({}, projectId);
  const constraints = contextNames.map((contextName) => ({ contextName, operator: 'IN', values: ['x'] }));
  const params = { projectId, featureName: name, environment: 'development' };
  const { body } = await flags.call('addFeatureStrategy', params, { name: 'default', constraints });
  return { name, id: body.id };
}

describe('context fields of a project', () => {
  it('have single legal values added and deleted', async () => {
    const params = await projectWithField();
    const { projectId } = params;
    const events = await eventsOf(service, async () => {
      for (const value of ['a', 'b']) await flags.call('updateProjectContextFieldLegalValue', params, { value });
      await flags.call('deleteProjectContextFieldLegalValue', { ...params, legalValue: 'a' });
    });
    const { body } = await flags.call('getProjectContextField', params);
    expect(body).toMatchObject({ legalValues: [{ value: 'b' }], usedInFeatures: 0, usedInProjects: 0 });
    expect(events).toMatchObject(Array(3).fill({ type: 'context-field-updated', project: projectId }));
  });

  it('are in the list of their project, and in the global list only on request', async () => {
    const { projectId, contextField } = await projectWithField();
    const list = async (operationId: string, query = '') =>
      namesOf((await flags.call(operationId, { projectId }, undefined, query)).body);
    expect(await list('getProjectContextFields')).toEqual([contextField]);
    expect(await list('getProjectContextFields', 'include=root')).toEqual(
      expect.arrayContaining([contextField, 'userId']),
    );
    expect(await list('getContextFields')).not.toContain(contextField);
    expect(await list('getContextFields', 'include=project')).toEqual(expect.arrayContaining([contextField, 'userId']));
    const wrong = { query: 'include=everything' };
    await refused(service, 'getContextFields', INVALID, wrong);
    await refused(service, 'getProjectContextFields', INVALID, { ...wrong, params: { projectId } });
  });

  it('have names that are unique over all projects', async () => {
    const { projectId, contextField } = await projectWithField();
    const another = await flags.otherProject();
    const body = { name: contextField };
    await refused(service, 'createProjectContextField', CONFLICT, { params: { projectId: another }, body });
    await refused(service, 'validateProjectContextFieldName', CONFLICT, { params: { projectId: another }, body });
    await refused(service, 'createContextField', CONFLICT, { body });
    await refused(service, 'createProjectContextField', CONFLICT, { params: { projectId }, body: { name: 'userId' } });
    const free = { params: { projectId }, body: { name: flags.name('free') } };
    await accepted(service, 'validateProjectContextFieldName', free);
    await refused(service, 'validateProjectContextFieldName', INVALID, {
      params: { projectId },
      body: { name: 'a b' },
    });
  });

  it('are found under the path of their project only', async () => {
    const { projectId, contextField } = await projectWithField();
    const another = await flags.otherProject();
    const bodies: Readonly<Record<string, unknown>> = {
      updateProjectContextField: { description: 'x' },
      updateProjectContextFieldLegalValue: { value: 'x' },
    };
    const single = projectContextFieldEndpoints.filter(
      ({ path, operationId }) => path.includes(':contextField') && operationId !== 'getProjectStrategiesByContextField',
    );
    expect(single).toHaveLength(5);
    for (const { operationId } of single) {
      const wrongParams = [
        { projectId: another, contextField },
        { projectId: 'nope', contextField },
        { projectId, contextField: 'nope' },
        { projectId, contextField: 'userId' },
      ];
      for (const params of wrongParams) {
        const options = { params: { ...params, legalValue: 'x' }, body: bodies[operationId] };
        await refused(service, operationId, MISSING, options);
      }
    }
    const nowhere = { params: { projectId: 'nope', contextField } };
    await refused(service, 'getProjectContextFields', MISSING, nowhere);
    await refused(service, 'getProjectStrategiesByContextField', MISSING, nowhere);
    await refused(service, 'createProjectContextField', MISSING, { ...nowhere, body: { name: 'fresh' } });
    await refused(service, 'validateProjectContextFieldName', MISSING, { ...nowhere, body: { name: 'fresh' } });
  });

  it('are deleted with their project', async () => {
    const { projectId, contextField } = await projectWithField();
    const events = await eventsOf(service, () => accepted(service, 'deleteProject', { params: { projectId } }));
    expect(events).toMatchObject([{ type: 'context-field-deleted' }, { type: 'project-deleted' }]);
    await refused(service, 'getContextField', MISSING, { params: { contextField } });
  });
});

describe('the usage of a context field', () => {
  it('is counted in flags that are not archived and in their projects, and is listed by strategy', async () => {
    const contextField = flags.name('used');
    await flags.call('createContextField', {}, { name: contextField });
    const projectId = await flags.otherProject();
    const [one, two] = [
      await constrained('default', contextField, 'userId'),
      await constrained(projectId, contextField),
    ];
    const archived = await constrained('default', contextField);
    await constrained('default', 'userId');
    await flags.call('archiveFeature', { featureName: archived.name });
    const use = { usedInFeatures: 2, usedInProjects: 2, project: null };
    expect((await flags.call('getContextField', { contextField })).body).toMatchObject(use);
    const list = (await flags.call('getContextFields')).body as { name: string }[];
    expect(list.find(({ name }) => name === contextField)).toMatchObject(use);
    const where = ({ name, id }: { name: string; id: string }, of: string) => ({
      id,
      featureName: name,
      projectId: of,
      environment: 'development',
      strategyName: 'default',
    });
    const all = (await flags.call('getStrategiesByContextField', { contextField })).body.strategies;
    expect(all).toHaveLength(2);
    expect(all).toEqual(expect.arrayContaining([where(one, 'default'), where(two, projectId)]));
    const ofProject = await flags.call('getProjectStrategiesByContextField', { projectId, contextField });
    expect(ofProject.body).toEqual({ strategies: [where(two, projectId)] });
    await flags.call('deleteFeatureStrategy', {
      projectId,
      featureName: two.name,
      environment: 'development',
      strategyId: two.id,
    });
    expect((await flags.call('getContextField', { contextField })).body).toMatchObject({ usedInFeatures: 1 });
  });

  it('is empty for a field that does not exist', async () => {
    expect((await flags.call('getStrategiesByContextField', { contextField: 'nope' })).body).toEqual({
      strategies: [],
    });
  });
});

describe('a constraint', () => {
  it.each([
    ['with a list of values', { contextName: 'userId', operator: 'IN', values: ['1'] }],
    ['with a number', { contextName: 'userId', operator: 'NUM_GT', value: '1', inverted: true }],
    ['on a field that does not exist', { contextName: 'nope', operator: 'STR_CONTAINS', values: ['x'] }],
  ])('%s is valid', async (_what, body) => {
    expect((await accepted(service, 'validateConstraint', { body })).status).toBe(204);
  });

  it.each([
    ['with a value that is not a number', { contextName: 'userId', operator: 'NUM_GT', value: 'x' }, '/value'],
    ['without values', { contextName: 'userId', operator: 'IN' }, '/values'],
    ['with a value that is not a version', { contextName: 'userId', operator: 'SEMVER_EQ', value: '1' }, '/value'],
  ])('%s is not valid', async (_what, body, path) => {
    const answer = await refused(service, 'validateConstraint', INVALID, { body });
    expect(answer.body.details).toMatchObject([{ path }]);
  });

  it('with a value that is not legal, an unknown operator, or no field is not valid', async () => {
    await flags.call('createContextField', {}, { name: 'plan', legalValues: [{ value: 'gold' }] });
    for (const body of [
      { contextName: 'plan', operator: 'IN', values: ['silver'] },
      { contextName: 'userId', operator: 'EQUALS', values: ['1'] },
      { operator: 'IN', values: ['1'] },
    ]) {
      await refused(service, 'validateConstraint', INVALID, { body });
    }
  });
});

describe('the segments of a strategy', () => {
  it('are replaced, when the strategy is in the specified project and environment', async () => {
    const { name, id: strategyId } = await constrained('default', 'userId');
    const [one, two] = [await flags.segment(), await flags.segment()];
    const body = { projectId: 'default', environmentId: 'development', strategyId, segmentIds: [one, two] };
    const answer = await accepted(service, 'updateFeatureStrategySegments', { body });
    expect([answer.status, answer.body]).toEqual([201, body]);
    expect((await flags.environment(name)).strategies[0]).toMatchObject({ id: strategyId, segments: [one, two] });
    await accepted(service, 'updateFeatureStrategySegments', { body: { ...body, segmentIds: [] } });
    expect((await flags.environment(name)).strategies[0].segments).toEqual([]);
    for (const wrong of [{ strategyId: 'nope' }, { environmentId: 'production' }, { projectId: 'nope' }]) {
      await refused(service, 'updateFeatureStrategySegments', MISSING, { body: { ...body, ...wrong } });
    }
    const foreign = await flags.segment(await flags.otherProject());
    for (const segmentIds of [[999_999], [foreign], 'all', Array(51).fill(one)]) {
      await refused(service, 'updateFeatureStrategySegments', INVALID, { body: { ...body, segmentIds } });
    }
  });
});

describe('the dependencies of flags', () => {
  it('can expect the variants of the parent and of its strategies, in all environments', async () => {
    const variant = (name: string) => ({ name, weight: 1000, weightType: 'variable', stickiness: 'default' });
    const parent = await flags.create();
    expect((await flags.call('getParentVariants', { parent })).body).toEqual([]);
    await flags.call('overwriteFeatureVariants', { featureName: parent }, [variant('red'), variant('blue')]);
    const params = { featureName: parent, environment: 'production' };
    const variants = [variant('green'), variant('red')];
    await flags.call('addFeatureStrategy', params, { name: 'default', variants });
    expect((await flags.call('getParentVariants', { parent })).body).toEqual(['blue', 'green', 'red']);
    const projectId = await flags.otherProject();
    expect((await flags.call('getParentVariants', { projectId, parent })).body).toEqual([]);
    expect((await flags.call('getParentVariants', { parent: 'nope' })).body).toEqual([]);
    await refused(service, 'getParentVariants', MISSING, { params: { projectId: 'nope', parent } });
  });

  it('exist only when a flag of the project depends on another', async () => {
    const projectId = await flags.otherProject();
    const [parent, child] = [await flags.create({}, projectId), await flags.create({}, projectId)];
    const exist = async () => (await flags.call('checkDependenciesExist', { projectId })).body;
    expect(await exist()).toBe(false);
    await flags.call('addFeatureDependency', { projectId, child }, { feature: parent });
    expect(await exist()).toBe(true);
    await flags.call('deleteFeatureDependency', { projectId, child, parent });
    expect(await exist()).toBe(false);
    await refused(service, 'checkDependenciesExist', MISSING, { params: { projectId: 'nope' } });
  });
});
