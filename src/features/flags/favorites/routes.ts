import { routesOf } from '../../endpoint.ts';
import { ownUserId } from '../../people/own-user.ts';
import { change } from '../../shared/change.ts';
import { favorFeature, favorProject } from './commands.ts';

const featuresRoute = routesOf('Features');
const projectsRoute = routesOf('Projects');

const DESCRIPTION =
  'The caller must be a user, with a session or a personal access token. Flags and projects show the mark to this user as `favorite`.';

const featureEndpoint = (isFavorite: boolean) =>
  featuresRoute(
    `${isFavorite ? 'POST' : 'DELETE'} /api/admin/projects/:projectId/features/:featureName/favorites`,
    isFavorite ? 'addFavoriteFeature' : 'removeFavoriteFeature',
    {
      access: { permission: 'READ', project: 'path.projectId' },
      summary: isFavorite
        ? 'Marks a flag as a favourite of the caller'
        : 'Removes a flag from the favourites of the caller',
      description: DESCRIPTION,
      handle({ params: { projectId: project, featureName }, caller }, services) {
        const userId = ownUserId(caller);
        if (typeof userId !== 'number') return userId;
        return change(services, caller, favorFeature, { userId, project, featureName, isFavorite });
      },
    },
  );

const projectEndpoint = (isFavorite: boolean) =>
  projectsRoute(
    `${isFavorite ? 'POST' : 'DELETE'} /api/admin/projects/:projectId/favorites`,
    isFavorite ? 'addFavoriteProject' : 'removeFavoriteProject',
    {
      access: { permission: 'READ', project: 'path.projectId' },
      summary: isFavorite
        ? 'Marks a project as a favourite of the caller'
        : 'Removes a project from the favourites of the caller',
      description: DESCRIPTION,
      handle({ params: { projectId: project }, caller }, services) {
        const userId = ownUserId(caller);
        if (typeof userId !== 'number') return userId;
        return change(services, caller, favorProject, { userId, project, isFavorite });
      },
    },
  );

export const favoriteEndpoints = [
  featureEndpoint(true),
  featureEndpoint(false),
  projectEndpoint(true),
  projectEndpoint(false),
];
