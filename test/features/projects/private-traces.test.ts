import { beforeAll, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { give } from '../../access/people.ts';
import { accepted, eventsOf, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { exportOf, importBody } from '../../support/exports.ts';
import { Flags } from '../../support/flags.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;
/** The token of a viewer, who sees open projects only. */
let viewer: string;
let hidden: string;

beforeAll(async () => {
  flags = new Flags(service);
  viewer = await personalTokenOf(service, (await putUser(service, 900)).id);
  hidden = await flags.otherProject();
  await prepare(service, (draft) => {
    const project = draft.get('projects', hidden);
    if (project) draft.put('projects', { ...project, mode: 'private' });
  });
});

/** The events for the viewer, who cannot see the private project. */
const eventsForViewer = async (): Promise<string> =>
  (await accepted(service, 'getEvents', { token: viewer, query: 'limit=100' })).text;

describe('a private project', () => {
  it('does not reveal the values of its context fields when a constraint is validated', async () => {
    const legalValues = [{ value: 'gold' }, { value: 'silver' }];
    await flags.call('createProjectContextField', { projectId: hidden }, { name: 'rank', legalValues });
    const trying = (value: string) => ({ body: { contextName: 'rank', operator: 'IN', values: [value] } });
    await accepted(service, 'validateConstraint', { ...trying('gold'), token: viewer });
    await accepted(service, 'validateConstraint', { ...trying('tin'), token: viewer });
    // A user who sees the project gets the error.
    await refused(service, 'validateConstraint', INVALID, trying('tin'));
    await accepted(service, 'validateConstraint', trying('gold'));
  });

  it('does not reveal the values of its context fields in another project: they do not apply to strategies and segments there', async () => {
    const legalValues = [{ value: 'up' }];
    await flags.call('createProjectContextField', { projectId: hidden }, { name: 'direction', legalValues });
    const constraints = [{ contextName: 'direction', operator: 'IN', values: ['sideways'] }];
    const body = { name: 'default', constraints };
    const addTo = async (projectId: string) => {
      const params = { projectId, featureName: await flags.create({}, projectId), environment: 'development' };
      return service.call('addFeatureStrategy', { params, body });
    };
    expect((await addTo('default')).status).toBe(200);
    expect((await addTo(hidden)).status).toBe(400);
    const segment = (name: string, project?: string) => ({ body: { name, constraints, project } });
    await accepted(service, 'createSegment', segment('everywhere'));
    await refused(service, 'createSegment', INVALID, segment('inside', hidden));
  });

  it('does not reveal its context fields in exports and imports of another project: they do not apply there', async () => {
    const field = { name: 'grade', description: 'a secret', legalValues: [{ value: 'gold' }] };
    await flags.call('createProjectContextField', { projectId: hidden }, field);
    const { id } = await putUser(service, 901);
    const member = await personalTokenOf(service, id);
    await prepare(service, (draft) => give(draft, 'default', 'user', id, [ROLE_ID.member]));
    const constraints = [{ contextName: 'grade', operator: 'IN', values: ['gold'] }];
    const openName = await flags.createFor(constraints);
    const exported = async (features: readonly string[], token?: string) => {
      const body = { environment: 'development', features };
      return (await accepted(service, 'exportFeatures', { body, ...(token && { token }) })).body.contextFields;
    };
    expect(await exported([openName], member)).toEqual([]);
    const params = { projectId: hidden, featureName: await flags.create({}, hidden), environment: 'development' };
    await accepted(service, 'addFeatureStrategy', { params, body: { name: 'default', constraints } });
    expect(await exported([openName, params.featureName])).toMatchObject([{ name: 'grade', description: 'a secret' }]);
    const importing = (value: string, project: string) => {
      const contextFields = [{ name: 'grade', legalValues: [{ value }] }];
      return importBody(exportOf(`graded-${value}-${project}`, { contextFields }), { project });
    };
    const errors = async (value: string, project: string, token?: string) => {
      const body = importing(value, project);
      return (await accepted(service, 'validateImport', { body, ...(token && { token }) })).body.errors;
    };
    expect(await errors('tin', 'default', member)).toEqual([]);
    expect(await errors('gold', 'default', member)).toEqual([]);
    await accepted(service, 'importFeatures', { body: importing('tin', 'default'), token: member });
    // In its own project, the field applies and keeps its values.
    expect(await errors('tin', hidden)).toMatchObject([{ affectedItems: ['grade (tin)'] }]);
    expect(await errors('gold', hidden)).toEqual([]);
  });

  it('does not reveal the applications that report with its tokens, their outdated SDKs, or their unknown flags', async () => {
    const token = async (project: string) => {
      const body = { type: 'client', tokenName: `of ${project}`, environment: 'development', projects: [project] };
      return (await accepted(service, 'createApiToken', { body })).body.secret;
    };
    const [inside, outside] = [await token(hidden), await token('default')];
    const report = async (appName: string, secret: string) => {
      const about = { appName, instanceId: 'one', sdkVersion: 'unleash-client-node:3.9.1' };
      await accepted(service, 'registerClientApplication', { token: secret, body: { ...about, strategies: [] } });
      const bucket = { start: Date.now() - 1, stop: Date.now(), toggles: { [`${appName}-flag`]: { yes: 1, no: 0 } } };
      await accepted(service, 'registerClientMetrics', { token: secret, body: { ...about, bucket } });
    };
    await report('submarine', inside);
    await report('ferry', outside);
    await report('both', inside);
    await report('both', outside);
    await service.running.services.reportRecorder.flush();
    const lists = ['getApplications', 'getOutdatedSdks', 'getUnknownFlags', 'getEvents', 'searchEventsByQuery'];
    for (const operationId of lists) {
      const { text } = await accepted(service, operationId, { token: viewer });
      expect([operationId, text.includes('submarine'), text.includes('ferry')]).toEqual([operationId, false, true]);
      expect((await accepted(service, operationId)).text, operationId).toContain('submarine');
    }
    const byName = ['getApplication', 'getApplicationOverview'] as const;
    for (const operationId of byName) {
      await refused(service, operationId, MISSING, { params: { appName: 'submarine' }, token: viewer });
      await accepted(service, operationId, { params: { appName: 'both' }, token: viewer });
      await accepted(service, operationId, { params: { appName: 'submarine' } });
    }
    const params = { appName: 'submarine', environment: 'development' };
    await refused(service, 'getApplicationEnvironmentInstances', MISSING, { params, token: viewer });
    expect((await accepted(service, 'getApplications', { token: viewer })).body.total).toBe(2);
    const created = (await accepted(service, 'getEvents')).body.events.filter(
      ({ type, data }: { type: string; data: { appName?: string } }) =>
        type === 'application-created' && data.appName === 'submarine',
    );
    expect(created.map(({ project }: { project: string }) => project)).toEqual([hidden]);
  });

  it('does not reveal the tags of its flags when a tag is deleted', async () => {
    const tagged = async (value: string, ...projects: string[]) => {
      for (const projectId of projects) {
        const featureName = await flags.create({}, projectId);
        await flags.call('addTag', { featureName }, { type: 'simple', value });
      }
    };
    await tagged('merger', hidden);
    await tagged('summer', hidden, 'default');
    const events = await eventsOf(service, async () => {
      await flags.call('deleteTag', { type: 'simple', value: 'merger' });
      await flags.call('deleteTag', { type: 'simple', value: 'summer' });
    });
    const deleted = events.filter(({ type }) => type === 'tag-deleted');
    expect(deleted.map(({ project, preData }) => [project, preData])).toEqual([
      [hidden, { type: 'simple', value: 'merger' }],
      [null, { type: 'simple', value: 'summer' }],
    ]);
    const visible = await eventsForViewer();
    expect([visible.includes('merger'), visible.includes('summer')]).toEqual([false, true]);
  });

  it('does not reveal its size: counts include only what the caller can see', async () => {
    const asked = ['getAllEnvironments', 'getEnvironment', 'getFeatureLifecycleCount', 'getInstanceAdminStats'];
    const counts = async (token?: string) => {
      const answers = asked.map(async (operationId) => {
        const params = { name: 'production' };
        const { body } = await accepted(service, operationId, { params, ...(token && { token }) });
        const { timestamp: _timestamp, sum: _sum, ...stats } = body;
        return stats;
      });
      return await Promise.all(answers);
    };
    const [toViewer, toAdmin] = [await counts(viewer), await counts()];
    const inProduction = { projectId: hidden, environment: 'production' };
    const inHidden = { ...inProduction, featureName: await flags.create({}, hidden) };
    const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1', '2', '3', '4', '5', '6', '7'] }];
    await flags.call('addFeatureStrategy', inHidden, { name: 'default', constraints });
    await flags.call('toggleFeatureEnvironmentOn', inHidden);
    await flags.call('complete', inHidden, { status: 'kept' });
    await flags.call('archiveFeature', { projectId: hidden, featureName: await flags.create({}, hidden) });
    await flags.call('createSegment', {}, { name: 'depth', project: hidden, constraints: [] });
    await flags.call('createProjectContextField', { projectId: hidden }, { name: 'pressure' });
    const token = { type: 'client', tokenName: 'sonar', environment: 'production', projects: [hidden] };
    const { body: made } = await accepted(service, 'createApiToken', { body: token });
    const about = { appName: 'periscope', instanceId: 'one', strategies: [] };
    await accepted(service, 'registerClientApplication', { token: made.secret, body: about });
    await service.running.services.reportRecorder.flush();
    expect(await counts(viewer)).toEqual(toViewer);
    const [all, one, stages, statistics] = await counts();
    const [, oneBefore, stagesBefore, statisticsBefore] = toAdmin;
    expect(all).not.toEqual(toAdmin[0]);
    expect(one.projectCount).toBe(toViewer[1].projectCount + 1);
    for (const name of ['enabledToggleCount', 'apiTokenCount']) expect(one[name], name).toBe(oneBefore[name] + 1);
    for (const name of ['completed', 'archived']) expect(stages[name], name).toBe(stagesBefore[name] + 1);
    const grown = ['featureToggles', 'archivedFeatureToggles', 'segments', 'contextFields'];
    for (const name of grown) expect(statistics[name], name).toBe(statisticsBefore[name] + 1);
    expect(statistics.apiTokens.client).toBe(statisticsBefore.apiTokens.client + 1);
    expect(statistics.clientApps[0].count).toBe(statisticsBefore.clientApps[0].count + 1);
    expect(statistics.maxConstraintValues).toBe(7);
    expect(statistics.productionChanges.last30).toBeGreaterThan(statisticsBefore.productionChanges.last30);
  });
});
