import Type from 'typebox';
import { isHidden } from '../../access/permission-problem.ts';
import { visibleProjects } from '../../access/visibility.ts';
import { convertedInSteps } from '../../base/converted.ts';
import { invalid, notFound, Rejection } from '../../base/rejection.ts';
import { created, done, listAnswer, ok } from '../../http/answer.ts';
import { type Feature, tagText } from '../../model/feature.ts';
import { NAME_LENGTH_MAX, UrlSafeName } from '../../model/primitives.ts';
import { routesOf } from '../endpoint.ts';
import { withPast } from '../past/with-past.ts';
import { change } from '../shared/change.ts';
import { JsonPatch } from '../shared/json-patch.ts';
import { findFeature, findProject } from '../shared/lookup.ts';
import { cloneFeature } from './clone.ts';
import { createFeature, featureNameProblem, markStale, patchFeature, updateFeature } from './commands.ts';
import { LISTED_FIELDS } from './listed-fields.ts';
import { moveFeature } from './move-to-project.ts';
import { namedFields, pickFields } from './page-parameters.ts';
import { favoriteFeatures, presentFeature, presentOneFeature } from './present.ts';
import {
  BatchFeatures,
  CloneFeatureBody,
  CreateFeatureBody,
  FeaturePageSchema,
  FeatureSchema,
  type ListedField,
  PageParameters,
  UpdateFeatureBody,
} from './schemas.ts';
import { type ProjectFlagsQuery, projectPage } from './search/project-page.ts';

const route = routesOf('Features', { mend: convertedInSteps });

/** Maximum number of tags by which one request filters flags. */
const TAGS_IN_QUERY_MAX = 100;

const listProjectFeatures = route('GET /api/admin/projects/:projectId/features', 'getFeatures', {
  // The permission is not bound to the project in the path: for a project that the caller must not see, the answer is the same as for a project that
  // does not exist, an empty list.
  access: { permission: 'READ' },
  summary: 'The flags of a project, without archived flags; empty if the project does not exist',
  query: Type.Object({
    tag: Type.Optional(
      Type.Array(Type.String({ pattern: '^[^:]+:.+$' }), {
        maxItems: TAGS_IN_QUERY_MAX,
        description: 'As `type:value`; flags that have any of these tags',
      }),
    ),
    namePrefix: Type.Optional(Type.String({ maxLength: NAME_LENGTH_MAX, description: 'The beginning of the name' })),
    ...PageParameters,
  }),
  responses: { 200: { description: 'The flags', schema: FeaturePageSchema } },
  errors: [429],
  neverMissing: true,
  async handle({ params, query, caller, asker }, services) {
    const state = services.fixedStates.until(asker);
    const sources = { state, flagUse: services.flagUse };
    const fields = namedFields<ListedField>(query.fields);
    const favorites = favoriteFeatures(services, caller);
    const present = (feature: Feature) =>
      fields
        ? pickFields(fields, LISTED_FIELDS, { feature, sources, favorites })
        : presentFeature(feature, sources, favorites);
    const project = findProject(state, params.projectId);
    const isVisible = !(project instanceof Rejection) && visibleProjects(state, caller).has(project.id);
    if (!isVisible) return listAnswer({ version: 2 }, 'features', [], present);
    if (query.limit === undefined && query.cursor === undefined) {
      const features = wantedFeatures(state.lookup('featuresByProject', project.id), query);
      return listAnswer({ version: 2 }, 'features', features, present);
    }
    const page = await services.flagSearch.find(asker, (columns) => projectPage(project.id, query, columns));
    if (page instanceof Rejection) return page;
    const head = { version: 2, ...(page.cursor !== undefined && { cursor: page.cursor }) };
    return listAnswer(head, 'features', page.features, present);
  },
});

function hasAnyTag({ tags }: Feature, wanted: ReadonlySet<string>): boolean {
  return tags.some((tag) => wanted.has(tagText(tag)));
}

/** Yields the flags lazily, because the list is sent in slices. Yields undefined for each flag that is not wanted. */
function* wantedFeatures(
  features: Iterable<Feature>,
  { tag, namePrefix = '' }: ProjectFlagsQuery,
): Generator<Feature | undefined> {
  const tags = tag && new Set(tag);
  const isWanted = (feature: Feature) =>
    !feature.archived && feature.name.startsWith(namePrefix) && (tags === undefined || hasAnyTag(feature, tags));
  for (const feature of features) yield isWanted(feature) ? feature : undefined;
}

const createProjectFeature = route('POST /api/admin/projects/:projectId/features', 'createFeature', {
  access: { permission: 'CREATE_FEATURE', project: 'path.projectId' },
  summary: 'Creates a flag that is off in every environment',
  body: CreateFeatureBody,
  responses: { 201: { description: 'The flag', schema: FeatureSchema } },
  errors: [409],
  handle({ params, body, caller }, services) {
    const { name, type, description, impressionData, tags, stale, archived, createdAt } = body;
    const optionalFields = { description, impressionData, tags, stale, archived, createdAt };
    const input = { project: params.projectId, name, type, ...optionalFields };
    return change(services, caller, createFeature, input, (feature) =>
      created(presentOneFeature(feature, services, caller)),
    );
  },
});

const getFeature = route('GET /api/admin/projects/:projectId/features/:featureName', 'getFeature', {
  access: { permission: 'READ', project: 'path.projectId' },
  edits: 'feature',
  summary: 'One flag with its configuration in every environment',
  responses: { 200: { description: 'The flag', schema: FeatureSchema } },
  handle({ params, caller }, services) {
    const { state } = services;
    const feature = findFeature(state, params.projectId, params.featureName);
    if (feature instanceof Rejection) return feature;
    return ok(presentOneFeature(feature, services, caller));
  },
});

const updateProjectFeature = route('PUT /api/admin/projects/:projectId/features/:featureName', 'updateFeature', {
  access: { permission: 'UPDATE_FEATURE', project: 'path.projectId' },
  edits: 'feature',
  summary: 'Changes the specified properties of a flag',
  body: UpdateFeatureBody,
  responses: { 200: { description: 'The flag as it is now', schema: FeatureSchema } },
  errors: [409],
  handle({ params, body, caller }, services) {
    const { name, description, type, stale, archived, impressionData } = body;
    if (name !== undefined && name !== params.featureName)
      return invalid('The name of a feature cannot change.', '/name');
    const input = {
      project: params.projectId,
      name: params.featureName,
      description,
      type,
      stale,
      archived,
      impressionData,
    };
    return change(services, caller, updateFeature, input, (feature) =>
      ok(presentOneFeature(feature, services, caller)),
    );
  },
});

const moveProjectFeature = route(
  'POST /api/admin/projects/:projectId/features/:featureName/changeProject',
  'changeProject',
  {
    access: { permission: 'MOVE_FEATURE_TOGGLE', project: 'path.projectId' },
    edits: 'feature',
    summary: 'Moves a flag to another project; the caller needs the permission in both projects',
    description:
      'The new project must have the environments in which the flag is configured, and be allowed to use its segments. ' +
      'The flag must have no dependencies and no open change requests.',
    body: Type.Object(
      { newProjectId: Type.String({ description: 'Id of the new project' }) },
      { $id: 'changeProject' },
    ),
    responses: { 200: { description: 'The flag was moved' } },
    handle({ params, body, caller }, services) {
      const input = { project: params.projectId, name: params.featureName, newProject: body.newProjectId };
      return change(services, caller, moveFeature, input, () => done());
    },
  },
);

const patchProjectFeature = route('PATCH /api/admin/projects/:projectId/features/:featureName', 'patchFeature', {
  access: { permission: 'UPDATE_FEATURE', project: 'path.projectId' },
  edits: 'feature',
  summary: 'Changes properties of a flag by a JSON Patch',
  description: 'The patched document holds description, type, stale, archived and impressionData.',
  body: JsonPatch,
  responses: { 200: { description: 'The flag as it is now', schema: FeatureSchema } },
  errors: [409],
  handle({ params, body, caller }, services) {
    const input = { project: params.projectId, name: params.featureName, patch: body };
    return change(services, caller, patchFeature, input, (feature) => ok(presentOneFeature(feature, services, caller)));
  },
});

const cloneProjectFeature = route('POST /api/admin/projects/:projectId/features/:featureName/clone', 'cloneFeature', {
  access: { permission: 'CREATE_FEATURE', project: 'path.projectId' },
  summary:
    'Creates a flag that is off in every environment, with the strategies, variants and dependencies of another flag',
  body: CloneFeatureBody,
  responses: { 201: { description: 'The new flag', schema: FeatureSchema } },
  errors: [409],
  handle({ params, body, caller }, services) {
    const { name, replaceGroupId = true } = body;
    const input = { project: params.projectId, source: params.featureName, name, replaceGroupId };
    return change(services, caller, cloneFeature, input, (feature) =>
      created(presentOneFeature(feature, services, caller)),
    );
  },
});

const staleFeatures = route('POST /api/admin/projects/:projectId/stale', 'staleFeatures', {
  access: { permission: 'UPDATE_FEATURE', project: 'path.projectId' },
  summary: 'Marks flags of a project as stale, or as no longer stale',
  body: Type.Object({ features: BatchFeatures, stale: Type.Boolean() }, { $id: 'batchStale' }),
  responses: { 202: { description: 'Done' } },
  handle({ params, body, caller }, services) {
    const input = { project: params.projectId, names: body.features, stale: body.stale };
    return change(services, caller, markStale, input, () => done(202));
  },
});

const validateFeature = route('POST /api/admin/features/validate', 'validateFeature', {
  access: { permission: 'READ' },
  summary: 'Whether a new flag may have the name',
  body: Type.Object(
    { name: UrlSafeName, projectId: Type.Optional(Type.Union([Type.String(), Type.Null()])) },
    { $id: 'validateFeature' },
  ),
  responses: { 200: { description: 'A new flag may have the name' } },
  errors: [404, 409],
  handle({ body: { name, projectId }, caller }, { state }) {
    if (typeof projectId === 'string') {
      const isVisible = !isHidden({ draft: state, caller }, projectId);
      const project = isVisible ? findProject(state, projectId) : notFound(`The project ${projectId} does not exist.`);
      if (project instanceof Rejection) return project;
    }
    return featureNameProblem(state, name) ?? done();
  },
});

export const featureEndpoints = [
  withPast(listProjectFeatures, 'project'),
  createProjectFeature,
  withPast(getFeature, 'flag'),
  updateProjectFeature,
  moveProjectFeature,
  patchProjectFeature,
  cloneProjectFeature,
  staleFeatures,
  validateFeature,
];
