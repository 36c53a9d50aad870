import { beforeAll, describe, expect, it } from 'vitest';
import { BATCH_MAX } from '../../../src/features/flags/schemas.ts';
import { flag, prepare } from '../../support/admin.ts';
import { Flags, INVALID, MISSING, NOT_ALLOWED, TAKEN } from '../../support/flags.ts';
import { useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

const names = (answer: { body: { features: { name: string }[] } }) => answer.body.features.map(({ name }) => name);

/** The flag, as the archive lists it. */
async function archived(featureName: string) {
  const { body } = await flags.call('getArchivedFeatures');
  return body.features.find(({ name }: { name: string }) => name === featureName);
}

describe('archiving', () => {
  it('switches a flag off everywhere and hides it from SDKs', async () => {
    const featureName = await flags.create();
    await flags.call('toggleFeatureEnvironmentOn', { featureName, environment: 'development' });
    let status = 0;
    const events = await flags.events(async () => {
      status = (await flags.call('archiveFeature', { featureName })).status;
    });
    expect(status).toBe(202);
    const archivedAt = events[0]?.createdAt;
    expect(await archived(featureName)).toMatchObject({ archived: true, enabled: false, archivedAt });
    await flags.refused('getFeature', MISSING, { params: { featureName } });
    expect(names(await service.call('getAllClientFeatures'))).not.toContain(featureName);
    expect(events).toMatchObject([{ type: 'feature-archived', featureName, preData: { archivedAt: null } }]);
  });

  it('removes the parents of a child', async () => {
    const [parent, child] = [await flags.create(), await flags.create()];
    await flags.call('addFeatureDependency', { child }, { feature: parent });
    const events = await flags.events(() => flags.call('archiveFeature', { featureName: child }));
    expect(events.map((event) => event.type)).toEqual(['feature-dependencies-removed', 'feature-archived']);
    await flags.call('archiveFeature', { featureName: parent });
    await flags.call('reviveFeature', { featureName: child });
    expect((await flags.read(child)).body.dependencies).toEqual([]);
  });

  it('refuses a parent with live children, alone or in a batch, and accepts it together with them', async () => {
    const [parent, child, bystander] = [await flags.create(), await flags.create(), await flags.create()];
    await flags.call('addFeatureDependency', { child }, { feature: parent });
    await flags.refused('archiveFeature', NOT_ALLOWED, { params: { featureName: parent } });
    await flags.refused('archiveFeatures', NOT_ALLOWED, { body: { features: [bystander, parent] } });
    expect((await flags.call('archiveFeatures', {}, { features: [parent, child] })).status).toBe(202);
    expect(await archived(parent)).toMatchObject({ archived: true });
  });

  it('reports the effects of archiving in advance', async () => {
    const [parent, child] = [await flags.create(), await flags.create()];
    await flags.call('addFeatureDependency', { child }, { feature: parent });
    const check = async (...features: string[]) => (await flags.call('validateArchiveFeatures', {}, { features })).body;
    expect(await check(parent)).toEqual({ parentsWithChildFeatures: [parent], hasDeletedDependencies: false });
    expect(await check(parent, child)).toEqual({ parentsWithChildFeatures: [], hasDeletedDependencies: true });
    expect(await check('nope')).toEqual({ parentsWithChildFeatures: [], hasDeletedDependencies: false });
    await flags.refused('validateArchiveFeatures', MISSING, {
      params: { projectId: 'nope' },
      body: { features: [child] },
    });
    await flags.refused('validateArchiveFeatures', INVALID, { body: { features: 'nope' } });
  });

  it('names ten of the children that would stay, and counts the others', async () => {
    const parent = await flags.create();
    await prepare(service, (draft) => {
      const dependencies = [{ feature: parent, enabled: true, variants: [] }];
      for (let index = 0; index < 35; index++) draft.put('features', flag(`child-of-many-${index}`, { dependencies }));
    });
    const answer = await flags.refused('archiveFeature', NOT_ALLOWED, { params: { featureName: parent } });
    expect(answer.body.message.match(/child-of-many/g)).toHaveLength(10);
    expect(answer.body.message).toContain('and 25 more depend on it');
  });

  it('refuses unknown flags and flags of another project', async () => {
    const featureName = await flags.create();
    const projectId = await flags.otherProject();
    await flags.refused('archiveFeature', MISSING, { params: { projectId, featureName } });
    await flags.refused('archiveFeature', MISSING, { params: { featureName: 'nope' } });
    await flags.refused('archiveFeatures', MISSING, { body: { features: [featureName, 'nope'] } });
    await flags.refused('archiveFeatures', MISSING, { params: { projectId }, body: { features: [featureName] } });
    await flags.refused('archiveFeatures', INVALID, { body: { features: Array(BATCH_MAX + 1).fill(featureName) } });
  });

  it('does not change flags that are already archived', async () => {
    const [one, two] = [await flags.create(), await flags.create()];
    await flags.call('archiveFeature', { featureName: one });
    const { archivedAt } = await archived(one);
    const events = await flags.events(async () => {
      await flags.call('archiveFeature', { featureName: one });
      await flags.call('archiveFeatures', {}, { features: [one, two] });
    });
    expect(events).toMatchObject([{ type: 'feature-archived', featureName: two }]);
    expect(await archived(one)).toMatchObject({ archivedAt });
  });
});

describe('the lists of the archive', () => {
  it('contain the archived flags, of one project or of all', async () => {
    const projectId = await flags.otherProject();
    const [here, there] = [await flags.create(), await flags.create({}, projectId)];
    const live = await flags.create();
    await flags.call('archiveFeature', { featureName: here });
    await flags.call('archiveFeature', { projectId, featureName: there });
    const all = names(await flags.call('getArchivedFeatures'));
    expect(all).toEqual(expect.arrayContaining([here, there]));
    expect(all).not.toContain(live);
    expect(names(await flags.call('getArchivedFeaturesByProjectId', { projectId }))).toEqual([there]);
    await flags.refused('getArchivedFeaturesByProjectId', MISSING, { params: { projectId: 'nope' } });
  });
});

describe('reviving', () => {
  it('brings a flag back, off everywhere, with its strategies', async () => {
    const featureName = await flags.create();
    await flags.call('toggleFeatureEnvironmentOn', { featureName, environment: 'production' });
    await flags.call('archiveFeature', { featureName });
    const events = await flags.events(() => flags.call('reviveFeature', { featureName }));
    expect((await flags.read(featureName)).body).toMatchObject({ archived: false, archivedAt: null, enabled: false });
    expect((await flags.environment(featureName, 'production')).strategies).toHaveLength(1);
    expect(events).toMatchObject([{ type: 'feature-revived', project: 'default', featureName }]);
  });

  it('brings several back, all or none', async () => {
    const [one, two, live] = [await flags.create(), await flags.create(), await flags.create()];
    const projectId = await flags.otherProject();
    await flags.call('archiveFeatures', {}, { features: [one, two] });
    await flags.refused('reviveFeatures', TAKEN, { body: { features: [one, live] } });
    await flags.refused('reviveFeatures', MISSING, { body: { features: [one, 'nope'] } });
    await flags.refused('reviveFeatures', MISSING, { params: { projectId }, body: { features: [one] } });
    await flags.refused('reviveFeatures', INVALID, { body: {} });
    await flags.call('reviveFeatures', {}, { features: [one, two] });
    expect((await flags.read(two)).body.archived).toBe(false);
  });

  it('refuses flags that are not archived or do not exist', async () => {
    await flags.refused('reviveFeature', TAKEN, { params: { featureName: await flags.create() } });
    await flags.refused('reviveFeature', MISSING, { params: { featureName: 'nope' } });
  });
});

describe('deleting for good', () => {
  it('removes an archived flag and frees its name', async () => {
    const featureName = await flags.create({ description: 'd' });
    await flags.call('archiveFeature', { featureName });
    const events = await flags.events(() => flags.call('deleteFeature', { featureName }));
    expect(events).toMatchObject([{ type: 'feature-deleted', featureName, preData: { description: 'd' }, data: null }]);
    await flags.refused('getFeature', MISSING, { params: { featureName } });
    expect((await flags.call('createFeature', {}, { name: featureName })).status).toBe(201);
  });

  it('does not delete live flags, and refuses missing ones', async () => {
    const featureName = await flags.create();
    expect(await flags.events(() => flags.call('deleteFeature', { featureName }))).toEqual([]);
    expect((await flags.read(featureName)).body.archived).toBe(false);
    await flags.refused('deleteFeature', MISSING, { params: { featureName: 'nope' } });
  });

  it('deletes several, all or none', async () => {
    const [one, two, live] = [await flags.create(), await flags.create(), await flags.create()];
    const projectId = await flags.otherProject();
    await flags.call('archiveFeatures', {}, { features: [one, two] });
    await flags.refused('deleteFeatures', TAKEN, { body: { features: [one, live] } });
    await flags.refused('deleteFeatures', MISSING, { body: { features: [one, 'nope'] } });
    await flags.refused('deleteFeatures', MISSING, { params: { projectId }, body: { features: [one] } });
    await flags.refused('deleteFeatures', INVALID, { body: { features: [1] } });
    await flags.call('deleteFeatures', {}, { features: [one, two, one] });
    await flags.refused('getFeature', MISSING, { params: { featureName: two } });
  });
});
