import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { give } from '../../access/people.ts';
import { accepted, FORBIDDEN, flag, INVALID, MISSING, NOT_ALLOWED, prepare, switchedOn } from '../../support/admin.ts';
import { Flags } from '../../support/flags.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { ADMIN_TOKEN, useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;
/** The project to which flags are moved. */
let target: string;
let featureName: string;

beforeAll(async () => {
  flags = new Flags(service);
});

beforeEach(async () => {
  target = await flags.otherProject();
  featureName = await flags.create({ description: 'd', tags: [{ type: 'simple', value: 'kept' }] });
  await flags.call('toggleFeatureEnvironmentOn', { featureName, environment: 'development' });
});

const move = (newProjectId = target) => flags.call('changeProject', { featureName }, { newProjectId });
const refused = (expected: readonly [number, string], newProjectId = target, token = ADMIN_TOKEN) =>
  flags.refused('changeProject', expected, { params: { featureName }, body: { newProjectId }, token });

/** The names of the flags that an SDK receives with a token of this project. */
async function servedIn(project: string): Promise<string[]> {
  const about = { tokenName: project, type: 'client', environment: 'development', projects: [project] };
  const [known] = flags.state.lookup('tokensByProject', project);
  const token = known?.secret ?? (await accepted(service, 'createApiToken', { body: about })).body.secret;
  const { body } = await service.call('getAllClientFeatures', { token });
  return body.features.map(({ name }: { name: string }) => name);
}

describe('moving a flag to another project', () => {
  it('moves its whole configuration, and serves it in the new project from then on', async () => {
    const before = (await flags.read(featureName)).body;
    expect(await servedIn(target)).not.toContain(featureName);
    const events = await flags.events(move);
    expect(events).toMatchObject([
      {
        type: 'feature-project-change',
        featureName,
        project: `default,${target}`,
        data: { oldProject: 'default', newProject: target },
      },
    ]);
    await flags.refused('getFeature', MISSING, { params: { featureName } });
    const after = (await flags.call('getFeature', { projectId: target, featureName })).body;
    expect(after).toEqual({ ...before, project: target });
    expect(await servedIn(target)).toContain(featureName);
    await flags.call('changeProject', { projectId: target, featureName }, { newProjectId: 'default' });
    expect(await servedIn(target)).not.toContain(featureName);
  });

  it('does nothing when the flag is there already', async () => {
    expect(await flags.events(() => move('default'))).toEqual([]);
  });

  it('needs a live flag and an existing project', async () => {
    await refused(MISSING, 'nowhere');
    const body = { newProjectId: target };
    await flags.refused('changeProject', MISSING, { params: { featureName: 'nope' }, body });
    await flags.refused('changeProject', MISSING, { params: { projectId: target, featureName }, body });
    await flags.refused('changeProject', INVALID, { params: { featureName }, body: {} });
    await flags.call('archiveFeature', { featureName });
    await refused(MISSING);
  });

  it('needs the environments in which the flag is configured, and no others', async () => {
    await flags.call('removeEnvironmentFromProject', { projectId: target, environment: 'production' });
    await move();
    await flags.call('changeProject', { projectId: target, featureName }, { newProjectId: 'default' });
    await flags.call('removeEnvironmentFromProject', { projectId: target, environment: 'development' });
    const { body } = await refused(INVALID);
    expect(body.message).toContain('development');
  });

  it('refuses a flag with a segment that belongs to the old project only', async () => {
    const [everywhere, own] = [await flags.segment(), await flags.segment('default')];
    const using = (name: string, segment: number) =>
      prepare(service, (draft) =>
        draft.put('features', flag(name, { environments: [switchedOn('development', [segment])] })),
      );
    featureName = flags.name();
    await using(featureName, own);
    await refused(INVALID);
    await using(featureName, everywhere);
    await move();
  });

  it('refuses a flag with dependencies, parent or child', async () => {
    const child = await flags.create();
    await flags.call('addFeatureDependency', { child }, { feature: featureName });
    await refused(NOT_ALLOWED);
    featureName = child;
    await refused(NOT_ALLOWED);
    await flags.call('deleteFeatureDependencies', { child });
    await move();
  });

  it('applies the flag limit and the naming pattern of the new project', async () => {
    await flags.call('updateProject', { projectId: target }, { featureLimit: 1 });
    await flags.create({}, target);
    await refused(INVALID);
    await flags.call('updateProject', { projectId: target }, { featureLimit: 2 });
    const featureNaming = { pattern: 'shop-.+', example: null, description: null };
    await flags.call('updateProjectEnterpriseSettings', { projectId: target }, { featureNaming });
    await refused(INVALID);
  });

  it('bypasses no review in the old or the new project, and is refused while the flag has open change requests', async () => {
    const protect = (projectId: string, changeRequestsEnabled: boolean) =>
      flags.call(
        'updateProjectChangeRequestConfig',
        { projectId, environment: 'development' },
        { changeRequestsEnabled, requiredApprovals: 1 },
      );
    await putUser(service, 700);
    const token = await personalTokenOf(service, 700);
    const projectId = await flags.otherProject();
    await prepare(service, (draft) => {
      for (const project of [projectId, target]) give(draft, project, 'user', 700, [ROLE_ID.owner]);
    });
    featureName = await flags.create({}, projectId);
    await flags.call('toggleFeatureEnvironmentOn', { projectId, featureName, environment: 'development' });
    const refusedFrom = () =>
      flags.refused('changeProject', NOT_ALLOWED, {
        params: { projectId, featureName },
        body: { newProjectId: target },
        token,
      });
    for (const project of [projectId, target]) {
      await protect(project, true);
      expect((await refusedFrom()).body.message).toContain('have to be reviewed');
      await protect(project, false);
    }
    await protect(projectId, true);
    const change = { action: 'updateEnabled', feature: featureName, payload: { enabled: false } };
    const params = { projectId, environment: 'development' };
    await accepted(service, 'createChangeRequest', { params, body: change, token });
    await protect(projectId, false);
    expect((await refusedFrom()).body.message).toContain('open change requests would change the feature');
  });

  it('needs permissions in both projects, and does not reveal a private project', async () => {
    await putUser(service, 701);
    const token = await personalTokenOf(service, 701);
    await refused(FORBIDDEN, target, token);
    await prepare(service, (draft) => give(draft, 'default', 'user', 701, [ROLE_ID.owner]));
    const { body: visible } = await refused(FORBIDDEN, target, token);
    expect(visible.message).toContain(`MOVE_FEATURE_TOGGLE in the project ${target}`);
    await flags.call('updateProjectEnterpriseSettings', { projectId: target }, { mode: 'private' });
    const { body: hidden } = await refused(FORBIDDEN, target, token);
    const { body: absent } = await refused(FORBIDDEN, 'nowhere', token);
    expect(hidden.message).toBe(absent.message);
    await prepare(service, (draft) => give(draft, target, 'user', 701, [ROLE_ID.member]));
    await refused(FORBIDDEN, target, token);
    await prepare(service, (draft) => give(draft, target, 'user', 701, [ROLE_ID.owner]));
    await flags.call('getFeature', { featureName });
    await accepted(service, 'changeProject', {
      params: { projectId: 'default', featureName },
      body: { newProjectId: target },
      token,
    });
  });
});
