import type { Method } from '../../../http/endpoint.ts';
import { endpoint } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { ownUserId } from '../../shared/own-user.ts';
import { FeatureParams, ProjectParams } from '../schemas.ts';
import { favorFeature, favorProject } from './commands.ts';

const DESCRIPTION =
  'For a token that identifies a user: a session, or a personal access token. `favorite` in flags and projects tells it to the same user.';

const ofFeature = (isFavorite: boolean) =>
  endpoint({
    operationId: isFavorite ? 'addFavoriteFeature' : 'removeFavoriteFeature',
    method: (isFavorite ? 'post' : 'delete') satisfies Method,
    path: '/api/admin/projects/:projectId/features/:featureName/favorites',
    tag: 'Features',
    access: { permission: 'READ', project: 'path.projectId' },
    summary: isFavorite ? 'Marks a flag as a favourite of the caller' : 'Takes the mark of a favourite off a flag',
    description: DESCRIPTION,
    params: FeatureParams,
    responses: { 200: { description: 'Done' } },
    errors: [400, 404],
    handle({ params: { projectId: project, featureName }, caller }, services) {
      const userId = ownUserId(caller);
      if (typeof userId !== 'number') return userId;
      return change(services, caller, favorFeature, { userId, project, featureName, isFavorite });
    },
  });

const ofProject = (isFavorite: boolean) =>
  endpoint({
    operationId: isFavorite ? 'addFavoriteProject' : 'removeFavoriteProject',
    method: (isFavorite ? 'post' : 'delete') satisfies Method,
    path: '/api/admin/projects/:projectId/favorites',
    tag: 'Projects',
    access: { permission: 'READ', project: 'path.projectId' },
    summary: isFavorite
      ? 'Marks a project as a favourite of the caller'
      : 'Takes the mark of a favourite off a project',
    description: DESCRIPTION,
    params: ProjectParams,
    responses: { 200: { description: 'Done' } },
    errors: [400, 404],
    handle({ params: { projectId: project }, caller }, services) {
      const userId = ownUserId(caller);
      if (typeof userId !== 'number') return userId;
      return change(services, caller, favorProject, { userId, project, isFavorite });
    },
  });

export const favoriteEndpoints = [ofFeature(true), ofFeature(false), ofProject(true), ofProject(false)];
