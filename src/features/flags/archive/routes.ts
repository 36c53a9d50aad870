import Type, { type Static } from 'typebox';
import { visibleProjects } from '../../../access/visibility.ts';
import { Rejection } from '../../../base/rejection.ts';
import { inSlices, Slicer, type Steps } from '../../../base/yield-control.ts';
import type { Decidable } from '../../../engine/command.ts';
import { type Answer, done, listAnswer, ok } from '../../../http/answer.ts';
import type { Caller } from '../../../model/caller.ts';
import type { Feature } from '../../../model/feature.ts';
import type { ProjectPermission } from '../../../model/permission.ts';
import type { StateReader } from '../../../state/collections.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { findFeature, findProject } from '../../shared/lookup.ts';
import { type FlagSources, favoriteFeatures, presentFeature } from '../present.ts';
import { BatchFeaturesBody, FeaturesSchema } from '../schemas.ts';
import {
  archiveFeatures,
  deleteFeature,
  deleteFeatures,
  type FeatureBatch,
  namesOfRemainingChildren,
  reviveFeature,
  reviveFeatures,
} from './commands.ts';

const route = routesOf('Archive');

const archiveFeature = route('DELETE /api/admin/projects/:projectId/features/:featureName', 'archiveFeature', {
  access: { permission: 'DELETE_FEATURE', project: 'path.projectId' },
  edits: 'feature',
  summary: 'Moves a flag to the archive, and switches it off in every environment',
  responses: { 202: { description: 'The flag is archived' } },
  handle({ params, caller }, services) {
    const input = { project: params.projectId, names: [params.featureName] };
    return change(services, caller, archiveFeatures, input, () => done(202));
  },
});

interface BatchRoute {
  readonly operationId: string;
  readonly action: 'archive' | 'revive' | 'delete';
  readonly permission: ProjectPermission;
  readonly summary: string;
  readonly status: 200 | 202;
  readonly command: Decidable<Static<typeof FeatureBatch>, undefined>;
}

const batchRoute = ({ operationId, action, permission, summary, status, command }: BatchRoute) =>
  route(`POST /api/admin/projects/:projectId/${action}`, operationId, {
    access: { permission, project: 'path.projectId' },
    summary,
    body: BatchFeaturesBody,
    responses: { [status]: { description: 'Done' } },
    errors: [409],
    handle: ({ params, body, caller }, services) =>
      change(services, caller, command, { project: params.projectId, names: body.features }, () => done(status)),
  });

const batchEndpoints = [
  batchRoute({
    operationId: 'archiveFeatures',
    action: 'archive',
    permission: 'DELETE_FEATURE',
    summary: 'Moves flags to the archive, and switches them off in every environment; all or none',
    status: 202,
    command: archiveFeatures,
  }),
  batchRoute({
    operationId: 'reviveFeatures',
    action: 'revive',
    permission: 'UPDATE_FEATURE',
    summary: 'Takes flags out of the archive; they are off in every environment; all or none',
    status: 200,
    command: reviveFeatures,
  }),
  batchRoute({
    operationId: 'deleteFeatures',
    action: 'delete',
    permission: 'DELETE_FEATURE',
    summary: 'Deletes archived flags permanently; all or none',
    status: 200,
    command: deleteFeatures,
  }),
];

const validateArchive = route('POST /api/admin/projects/:projectId/archive/validate', 'validateArchiveFeatures', {
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'Checks whether flags can be archived, and changes nothing; flags that do not exist are ignored',
  body: BatchFeaturesBody,
  responses: {
    200: {
      description: 'The result',
      schema: Type.Object({
        parentsWithChildFeatures: Type.Array(Type.String(), {
          description: 'Flags that cannot be archived, because flags that are not in the request depend on them',
        }),
        hasDeletedDependencies: Type.Boolean({
          description: 'Whether some of the flags depend on other flags: archiving removes these dependencies',
        }),
      }),
    },
  },
  async handle({ params, body, asker }, { state }) {
    const project = findProject(state, params.projectId);
    if (project instanceof Rejection) return project;
    const features = body.features.flatMap((name) => {
      const feature = findFeature(state, project.id, name);
      return feature instanceof Rejection ? [] : [feature];
    });
    return ok({
      parentsWithChildFeatures: await inSlices(namesOfParents(state, features), Slicer.of(asker)),
      hasDeletedDependencies: features.some((feature) => feature.dependencies.length > 0),
    });
  },
});

/** Returns the names of the flags in `features` on which a flag outside `features` depends. */
function* namesOfParents(state: StateReader, features: readonly Feature[]): Steps<string[]> {
  const archivedNames = new Set(features.map(({ name }) => name));
  const names: string[] = [];
  for (const { name } of features) {
    if (yield* namesOfRemainingChildren(state, name, archivedNames)) names.push(name);
    yield;
  }
  return names;
}

const listArchived = route('GET /api/admin/archive/features', 'getArchivedFeatures', {
  access: { permission: 'READ' },
  summary: 'The archived flags of all projects that the caller may see',
  responses: { 200: { description: 'The flags', schema: FeaturesSchema } },
  handle({ caller }, services) {
    const { state } = services;
    const visible = visibleProjects(state, caller);
    const features = [...state.values('projects')].flatMap(({ id }) =>
      visible.has(id) ? [...state.lookup('archivedByProject', id)] : [],
    );
    return archivedAnswer(features, services, caller);
  },
});

const listProjectArchived = route('GET /api/admin/archive/features/:projectId', 'getArchivedFeaturesByProjectId', {
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'The archived flags of a project',
  responses: { 200: { description: 'The flags', schema: FeaturesSchema } },
  handle({ params, caller }, services) {
    const { state } = services;
    const project = findProject(state, params.projectId);
    if (project instanceof Rejection) return project;
    return archivedAnswer([...state.lookup('archivedByProject', project.id)], services, caller);
  },
});

function archivedAnswer(features: readonly Feature[], sources: FlagSources, caller: Caller): Answer {
  const favorites = favoriteFeatures(sources, caller);
  return listAnswer({ version: 2 }, 'features', features, (feature) => presentFeature(feature, sources, favorites));
}

const reviveOne = route('POST /api/admin/archive/revive/:featureName', 'reviveFeature', {
  access: { permission: 'UPDATE_FEATURE', project: 'entity.features' },
  edits: 'feature',
  summary: 'Takes a flag out of the archive; it is off in every environment',
  responses: { 200: { description: 'The flag was revived' } },
  errors: [409],
  handle: ({ params, caller }, services) => change(services, caller, reviveFeature, { name: params.featureName }),
});

const deleteOne = route('DELETE /api/admin/archive/:featureName', 'deleteFeature', {
  access: { permission: 'DELETE_FEATURE', project: 'entity.features' },
  edits: 'feature',
  summary: 'Deletes an archived flag permanently; a flag that is not archived stays',
  responses: { 200: { description: 'The flag was deleted, unless it was not archived' } },
  handle: ({ params, caller }, services) => change(services, caller, deleteFeature, { name: params.featureName }),
});

export const featureArchiveEndpoints = [
  archiveFeature,
  ...batchEndpoints,
  validateArchive,
  listArchived,
  listProjectArchived,
  reviveOne,
  deleteOne,
];
