import { beforeAll, describe, expect, it } from 'vitest';
import { FORBIDDEN, prepare } from '../../support/admin.ts';
import { exportOf, importBody } from '../../support/exports.ts';
import { Flags, INVALID } from '../../support/flags.ts';
import { useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

/** Creates a project with this limit and this number of flags. */
async function projectWith(featureLimit: number, count: number): Promise<{ projectId: string; names: string[] }> {
  const { body } = await flags.call('createProject', {}, { name: flags.name('limited'), featureLimit });
  const names: string[] = [];
  for (let made = 0; made < count; made++) names.push(await flags.create({}, body.id));
  return { projectId: body.id, names };
}

describe('the limit of flags of a project', () => {
  it('allows this number of flags, and not one more', async () => {
    const { projectId } = await projectWith(2, 2);
    const options = { params: { projectId }, body: { name: 'one-more' } };
    const answer = await flags.refused('createFeature', INVALID, options);
    expect(answer.body.message).toContain(`${projectId} may have 2 feature flags`);
    await flags.create();
  });

  it('of zero allows no flag', async () => {
    const { projectId } = await projectWith(0, 0);
    await flags.refused('createFeature', INVALID, { params: { projectId }, body: { name: 'first' } });
  });

  it('counts clones', async () => {
    const { projectId, names } = await projectWith(2, 1);
    const params = { projectId, featureName: names[0] ?? '' };
    await flags.call('cloneFeature', params, { name: 'clone-within' });
    await flags.refused('cloneFeature', INVALID, { params, body: { name: 'clone-beyond' } });
  });

  it('does not count archived flags, so that a new flag may replace an archived one', async () => {
    const { projectId, names } = await projectWith(2, 2);
    await flags.call('archiveFeature', { projectId, featureName: names[0] ?? '' });
    await flags.create({}, projectId);
    await flags.refused('createFeature', INVALID, { params: { projectId }, body: { name: 'one-more' } });
  });

  it('counts flags that are revived, and revives all flags of a batch or none', async () => {
    const { projectId, names } = await projectWith(2, 2);
    await flags.call('archiveFeatures', { projectId }, { features: names });
    const [first = '', second = ''] = names;
    const third = await flags.create({}, projectId);
    await flags.refused('reviveFeatures', INVALID, { params: { projectId }, body: { features: names } });
    await flags.call('reviveFeatures', { projectId }, { features: [first, first] });
    await flags.refused('reviveFeature', INVALID, { params: { featureName: second } });
    await flags.call('archiveFeature', { projectId, featureName: third });
    await flags.call('reviveFeature', { featureName: second });
  });

  it('deletes no flag when it is lowered, and no longer applies when it is removed', async () => {
    const { projectId, names } = await projectWith(3, 3);
    const limit = (featureLimit: number | null) =>
      prepare(service, (draft) => {
        const project = draft.get('projects', projectId);
        if (project) draft.put('projects', { ...project, featureLimit });
      });
    await limit(1);
    await flags.call('updateFeature', { projectId, featureName: names[0] ?? '' }, { description: 'still there' });
    await flags.refused('createFeature', INVALID, { params: { projectId }, body: { name: 'one-more' } });
    await limit(null);
    await flags.create({}, projectId);
  });

  it('counts the flags that an import would create, also in the validation of the import', async () => {
    const { projectId, names } = await projectWith(2, 2);
    const [known = ''] = names;
    const body = (name: string) => importBody(exportOf(name), { project: projectId, environment: 'development' });
    const message = `${projectId} may have 2 feature flags`;
    const refused = await flags.refused('importFeatures', FORBIDDEN, { body: body(flags.name()) });
    expect(refused.body.message).toContain(message);
    const { errors } = (await flags.call('validateImport', {}, body(flags.name()))).body;
    expect(JSON.stringify(errors)).toContain(message);
    await flags.call('importFeatures', {}, body(known));
  });
});
