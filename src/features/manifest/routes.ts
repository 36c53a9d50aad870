import Type, { type Static } from 'typebox';
import { invalid, Rejection } from '../../base/rejection.ts';
import { type Answer, listPieces, okText } from '../../http/answer.ts';
import type { HandlerRequest } from '../../http/endpoint.ts';
import type { Feature } from '../../model/feature.ts';
import { routesOf } from '../endpoint.ts';
import { createFeature } from '../flags/commands.ts';
import type { Services } from '../services.ts';
import { change } from '../shared/change.ts';
import { findProject } from '../shared/lookup.ts';
import { archiveDeclaredFeature, declareFeature } from './commands.ts';
import { declaredEntry } from './declared.ts';
import {
  CAPABILITIES_HEADER,
  manifestErrorFields,
  manifestFlagText,
  nameProblem,
  withCapabilities,
} from './protocol.ts';
import { ArchivedManifestFlag, Manifest, ManifestFlagChange, NewManifestFlag, WrittenManifestFlag } from './schemas.ts';

const route = routesOf('OpenFeature');

type Request<Body = undefined> = Pick<HandlerRequest<never, never, Body>, 'caller' | 'body'>;

/** The project of a base URL without a project. Every instance begins with it. */
const DEFAULT = 'default';
const OF_PROJECT = '/api/admin/projects/:projectId/openfeature/v0/manifest';

const headers = {
  [CAPABILITIES_HEADER]: 'What the caller may do: `read`, `write` and `delete`, with commas between them',
};
const params = { key: Type.String({ description: 'Name of the flag' }) };
const errorFields = manifestErrorFields;

const reading = {
  summary: 'The flags of the project as a manifest of the OpenFeature CLI',
  description:
    'The type and the default value are those that code has declared. For other flags, the first payload of their variants says them; a flag without ' +
    'payloads is a boolean.',
  responses: { 200: { description: 'The manifest', schema: Manifest, headers } },
  errorFields,
};

function readManifest(
  project: string,
  { caller, asker }: Pick<HandlerRequest<never, never, undefined>, 'caller' | 'asker'>,
  { fixedStates }: Services,
): Answer | Rejection {
  const state = fixedStates.until(asker);
  const found = findProject(state, project);
  if (found instanceof Rejection) return found;
  const flags = listPieces({}, [
    [
      'flags',
      liveFlags(state.lookup('featuresByProject', project)),
      (flag: Feature) => [manifestFlagText(flag, state)],
    ],
  ]);
  return withCapabilities({ status: 200, pieces: flags }, state, caller, project);
}

/** Yields undefined for archived flags, so that the event loop can run. */
function* liveFlags(flags: Iterable<Feature>): Generator<Feature | undefined> {
  for (const flag of flags) yield flag.archived ? undefined : flag;
}

const creating = {
  summary:
    'Creates a flag with the type and the default value that code declares; the flag is off in every environment',
  body: NewManifestFlag,
  responses: { 201: { description: 'The flag', schema: WrittenManifestFlag, headers } },
  errors: [404, 409],
  errorFields,
};

function createFlag(
  project: string,
  { body, caller }: Request<Static<typeof NewManifestFlag>>,
  services: Services,
): Promise<Answer | Rejection> | Rejection {
  const { key, name, description, type, defaultValue } = body;
  const manifest = declaredEntry(type, defaultValue);
  const problem = nameProblem(key, name) ?? (manifest instanceof Rejection ? manifest : undefined);
  if (problem || manifest instanceof Rejection) return problem as Rejection;
  const input = { project, name: key, description, manifest };
  return change(services, caller, createFeature, input, (feature) =>
    withCapabilities({ ...written(feature, services), status: 201 }, services.state, caller, project),
  );
}

const updating = {
  summary: 'Replaces the description and the default value of a flag; its type cannot change',
  description: 'Changes nothing that SDKs get. A missing description removes the description.',
  params,
  body: ManifestFlagChange,
  responses: { 200: { description: 'The flag as it is now', schema: WrittenManifestFlag, headers } },
  errors: [409],
  errorFields,
};

function updateFlag(
  project: string,
  key: string,
  { body, caller }: Request<Static<typeof ManifestFlagChange>>,
  services: Services,
): Promise<Answer | Rejection> | Rejection {
  const { name, description = null, type, defaultValue } = body;
  if (body.key !== key) return invalid('The keys in the path and in the body differ.', '/key');
  const manifest = defaultValue === undefined ? undefined : declaredEntry(type, defaultValue);
  if (manifest instanceof Rejection) return manifest;
  const problem = nameProblem(key, name);
  if (problem) return problem;
  const input = { project, name: key, description, type, ...(manifest && { manifest }) };
  return change(services, caller, declareFeature, input, (feature) =>
    withCapabilities(written(feature, services), services.state, caller, project),
  );
}

function written(feature: Feature, { state }: Services): Answer {
  const current = state.get('features', feature.name) ?? feature;
  const updatedAt = JSON.stringify(current.changedAt ?? current.createdAt);
  return okText(`{"flag":${manifestFlagText(current, state)},"updatedAt":${updatedAt}}`);
}

const archiving = {
  summary: 'Moves a flag to the archive, and switches it off in every environment',
  params,
  responses: { 200: { description: 'The flag is archived', schema: ArchivedManifestFlag, headers } },
  errors: [409],
  errorFields,
};

function archiveFlag(project: string, key: string, { caller }: Request, services: Services) {
  return change(services, caller, archiveDeclaredFeature, { project, name: key }, ({ archivedAt }) => {
    const message = `The flag ${key} is archived. The archive of the project ${project} can give it back.`;
    return withCapabilities({ status: 200, body: { message, archivedAt } }, services.state, caller, project);
  });
}

export const manifestEndpoints = [
  route('GET /openfeature/v0/manifest', 'getManifest', {
    ...reading,
    access: { permission: 'READ', project: `name.${DEFAULT}` },
    handle: (request, services) => readManifest(DEFAULT, request, services),
  }),
  route(`GET ${OF_PROJECT}`, 'getProjectManifest', {
    ...reading,
    access: { permission: 'READ', project: 'path.projectId' },
    handle: (request, services) => readManifest(request.params.projectId, request, services),
  }),
  route('POST /openfeature/v0/manifest/flags', 'createManifestFlag', {
    ...creating,
    access: { permission: 'CREATE_FEATURE', project: `name.${DEFAULT}` },
    handle: (request, services) => createFlag(DEFAULT, request, services),
  }),
  route(`POST ${OF_PROJECT}/flags`, 'createProjectManifestFlag', {
    ...creating,
    access: { permission: 'CREATE_FEATURE', project: 'path.projectId' },
    handle: (request, services) => createFlag(request.params.projectId, request, services),
  }),
  route('PUT /openfeature/v0/manifest/flags/:key', 'updateManifestFlag', {
    ...updating,
    access: { permission: 'UPDATE_FEATURE', project: `name.${DEFAULT}` },
    handle: (request, services) => updateFlag(DEFAULT, request.params.key, request, services),
  }),
  route(`PUT ${OF_PROJECT}/flags/:key`, 'updateProjectManifestFlag', {
    ...updating,
    access: { permission: 'UPDATE_FEATURE', project: 'path.projectId' },
    handle: (request, services) => updateFlag(request.params.projectId, request.params.key, request, services),
  }),
  route('DELETE /openfeature/v0/manifest/flags/:key', 'archiveManifestFlag', {
    ...archiving,
    access: { permission: 'DELETE_FEATURE', project: `name.${DEFAULT}` },
    handle: (request, services) => archiveFlag(DEFAULT, request.params.key, request, services),
  }),
  route(`DELETE ${OF_PROJECT}/flags/:key`, 'archiveProjectManifestFlag', {
    ...archiving,
    access: { permission: 'DELETE_FEATURE', project: 'path.projectId' },
    handle: (request, services) => archiveFlag(request.params.projectId, request.params.key, request, services),
  }),
];
