import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/features/modules.ts';
import { accepted, eventsOf, flag, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { useService } from '../../support/service.ts';

const service = useService();
let ada: string;
let grace: string;

const project = { projectId: 'default' };
const params = { ...project, featureName: 'loved' };

beforeAll(async () => {
  await putUser(service, 51);
  await putUser(service, 52);
  ada = await personalTokenOf(service, 51);
  grace = await personalTokenOf(service, 52);
  for (const name of ['loved', 'other']) await accepted(service, 'createFeature', { params: project, body: { name } });
  await accepted(service, 'createProject', { body: { id: 'side', name: 'Side' } });
});

type Named = Record<string, unknown>;

/** Whether each flag is a favourite, by name. The list and the single flags must agree. */
async function features(token: string): Promise<Record<string, boolean>> {
  const { body } = await accepted(service, 'getFeatures', { params: project, token });
  const listed = Object.fromEntries(body.features.map(({ name, favorite }: Named) => [name, favorite]));
  for (const featureName of Object.keys(listed)) {
    const one = await accepted(service, 'getFeature', { params: { ...project, featureName }, token });
    expect(one.body.favorite, featureName).toBe(listed[featureName]);
  }
  return listed;
}

async function projects(token: string): Promise<Record<string, boolean>> {
  const { body } = await accepted(service, 'getProjects', { token });
  const listed = Object.fromEntries(body.projects.map(({ id, favorite }: Named) => [id, favorite]));
  for (const projectId of Object.keys(listed)) {
    const one = await accepted(service, 'getProjectOverview', { params: { projectId }, token });
    expect(one.body.favorite, projectId).toBe(listed[projectId]);
  }
  return listed;
}

describe('favourites', () => {
  it('belong to users: an admin token has none', async () => {
    for (const operation of [
      'addFavoriteFeature',
      'removeFavoriteFeature',
      'addFavoriteProject',
      'removeFavoriteProject',
    ])
      await refused(service, operation, INVALID, { params });
  });

  it('among flags are shown to the user who marked them, and are logged once', async () => {
    const events = await eventsOf(service, async () => {
      expect((await accepted(service, 'addFavoriteFeature', { params, token: ada })).status).toBe(200);
      await accepted(service, 'addFavoriteFeature', { params, token: ada });
    });
    expect(events).toMatchObject([
      {
        type: 'feature-favorited',
        project: 'default',
        featureName: 'loved',
        createdByUserId: 51,
        data: { feature: 'loved' },
      },
    ]);
    expect(await features(ada)).toEqual({ loved: true, other: false });
    expect(await features(grace)).toEqual({ loved: false, other: false });
  });

  it('among projects are shown to the user who marked them, and are logged once', async () => {
    const events = await eventsOf(service, async () => {
      for (let count = 0; count < 2; count++)
        await accepted(service, 'addFavoriteProject', { params: { projectId: 'side' }, token: grace });
    });
    expect(events).toMatchObject([{ type: 'project-favorited', project: 'side', createdByUserId: 52 }]);
    expect(await projects(grace)).toEqual({ default: false, side: true });
    expect(await projects(ada)).toEqual({ default: false, side: false });
  });

  it('are removed, and each removal is logged once', async () => {
    const events = await eventsOf(service, async () => {
      for (let count = 0; count < 2; count++) {
        await accepted(service, 'removeFavoriteFeature', { params, token: ada });
        await accepted(service, 'removeFavoriteProject', { params: { projectId: 'side' }, token: grace });
      }
    });
    expect(events.map(({ type }) => type)).toEqual(['feature-unfavorited', 'project-unfavorited']);
    expect(await features(ada)).toEqual({ loved: false, other: false });
    expect(await projects(grace)).toEqual({ default: false, side: false });
  });

  it('are refused for missing projects, and for flags that are not in the project', async () => {
    for (const wrong of [
      { projectId: 'default', featureName: 'nothing' },
      { projectId: 'side', featureName: 'loved' },
      { projectId: 'nowhere', featureName: 'loved' },
    ]) {
      await refused(service, 'addFavoriteFeature', MISSING, { params: wrong, token: ada });
      await refused(service, 'removeFavoriteFeature', MISSING, { params: wrong, token: ada });
    }
    await refused(service, 'addFavoriteProject', MISSING, { params: { projectId: 'nowhere' }, token: ada });
    await refused(service, 'removeFavoriteProject', MISSING, { params: { projectId: 'nowhere' }, token: ada });
  });

  it('are deleted with the flag, the project and the user', async () => {
    const { state } = service.running.services;
    const side = { projectId: 'side' };
    await accepted(service, 'addFavoriteFeature', { params, token: grace });
    await accepted(service, 'addFavoriteProject', { params: side, token: grace });
    await accepted(service, 'addFavoriteProject', { params: project, token: ada });
    await accepted(service, 'archiveFeature', { params });
    const { body } = await accepted(service, 'getArchivedFeatures', { token: grace });
    expect(body.features).toMatchObject([{ name: 'loved', favorite: true }]);
    await accepted(service, 'deleteFeatures', { params: project, body: { features: ['loved'] } });
    await accepted(service, 'deleteProject', { params: side });
    await accepted(service, 'deleteUser', { params: { id: 51 } });
    expect([...state.values('favorites')]).toEqual([]);
    await accepted(service, 'createFeature', { params: project, body: { name: 'loved' } });
    expect((await features(grace)).loved).toBe(false);
  });

  it('of one user are bounded', async () => {
    const most = LIMITS.favoritesOfUser.max;
    await prepare(service, (draft) => {
      for (let count = 0; count < most; count++) {
        draft.put('features', flag(`flag-${count}`));
        const createdAt = '2026-01-01T00:00:00.000Z';
        draft.put('favorites', { userId: 52, kind: 'feature', name: `flag-${count}`, createdAt });
      }
    });
    await refused(service, 'addFavoriteFeature', INVALID, {
      params: { ...project, featureName: 'other' },
      token: grace,
    });
  });
});
