import Type from 'typebox';
import { visibleProjects } from '../../access/visibility.ts';
import { Rejection } from '../../base/rejection.ts';
import { inSlices, Slicer } from '../../base/yield-control.ts';
import { listAnswer, listPieces, ok } from '../../http/answer.ts';
import { NameReference } from '../../model/primitives.ts';
import { routesOf } from '../endpoint.ts';
import { change } from '../shared/change.ts';
import { findFeature, findProject } from '../shared/lookup.ts';
import { RepositoryName } from './code-reference.ts';
import { deleteCodeRepository, ReferencesFields, replaceCodeReferences } from './commands.ts';
import {
  placesPieces,
  presentedRepositories,
  presentReport,
  presentUnknown,
  referencesOf,
  unknownNames,
  unusedFlags,
} from './present.ts';
import {
  CodeRepositoriesSchema,
  FlagReferencesSchema,
  ReportedReferencesSchema,
  UnknownInCodeSchema,
  UnusedFlagsSchema,
} from './schemas.ts';

const route = routesOf('Code references');

const REPOSITORIES = '/api/admin/code-repositories';
const params = { repository: RepositoryName };

const listRepositories = route(`GET ${REPOSITORIES}`, 'getCodeRepositories', {
  access: { permission: 'READ' },
  summary: 'The repositories whose code references were reported',
  description: 'The numbers count only flags of projects that the caller may see.',
  responses: { 200: { description: 'The repositories', schema: CodeRepositoriesSchema } },
  handle: ({ caller, asker }, { fixedStates }) => {
    const state = fixedStates.until(asker);
    const repositories = presentedRepositories(state, visibleProjects(state, caller));
    return listAnswer({}, 'repositories', repositories, (item) => item);
  },
});

const replaceReferences = route(`PUT ${REPOSITORIES}/:repository`, 'replaceCodeReferences', {
  access: { permission: 'UPDATE_APPLICATION' },
  summary: 'Replaces the code references of a repository; a new repository is created',
  description:
    'All references of the repository are replaced in one step: readers see the earlier set or this one. `burgee find-flags --send` sends this ' +
    'request. The names of flags may be any names that flags can have: flags that do not exist are listed as unknown.',
  params,
  body: Type.Object(ReferencesFields, { $id: 'replaceCodeReferences' }),
  bodyLimit: 'import',
  responses: { 200: { description: 'What was stored', schema: ReportedReferencesSchema } },
  neverMissing: true,
  handle: ({ params: { repository }, body, caller }, services) => {
    const { commit, branch, link, references } = body;
    return change(services, caller, replaceCodeReferences, { repository, commit, branch, link, references }, (stored) =>
      ok(presentReport(stored, references)),
    );
  },
});

const deleteRepository = route(`DELETE ${REPOSITORIES}/:repository`, 'deleteCodeRepository', {
  access: { permission: 'UPDATE_APPLICATION' },
  summary: 'Deletes a repository with its code references',
  params,
  responses: { 200: { description: 'It was deleted' } },
  handle: ({ params: { repository }, caller }, services) =>
    change(services, caller, deleteCodeRepository, { repository }),
});

const getReferences = route(
  'GET /api/admin/projects/:projectId/features/:featureName/code-references',
  'getCodeReferences',
  {
    access: { permission: 'READ', project: 'path.projectId' },
    summary: 'Where code uses a flag, also an archived one',
    responses: { 200: { description: 'The places, by repository', schema: FlagReferencesSchema } },
    handle({ params: { projectId, featureName }, asker }, { fixedStates }) {
      const state = fixedStates.until(asker);
      const flag = findFeature(state, projectId, featureName, 'any');
      if (flag instanceof Rejection) return flag;
      const repositoryCount = state.size('codeRepositories');
      const repositories = referencesOf(state, flag.name);
      return { status: 200, pieces: listPieces({ repositoryCount }, [['repositories', repositories, placesPieces]]) };
    },
  },
);

const getUnused = route('GET /api/admin/code-references/unused-flags', 'getFlagsWithoutCodeReferences', {
  access: { permission: 'READ', project: 'query.project' },
  summary: 'Flags that no reported code uses, without archived flags',
  query: Type.Object({ project: Type.Optional(NameReference) }),
  responses: { 200: { description: 'The flags', schema: UnusedFlagsSchema } },
  errors: [404],
  handle({ query: { project }, caller, asker }, { fixedStates }) {
    const state = fixedStates.until(asker);
    const found = project === undefined ? undefined : findProject(state, project);
    if (found instanceof Rejection) return found;
    const repositoryCount = state.size('codeRepositories');
    const flags = repositoryCount === 0 ? [] : unusedFlags(state, visibleProjects(state, caller), project);
    return listAnswer({ repositoryCount }, 'flags', flags, (flag) => flag);
  },
});

const getUnknown = route('GET /api/admin/code-references/unknown-flags', 'getUnknownFlagsInCode', {
  access: { permission: 'READ' },
  summary: 'Names in reported code that no flag has',
  description:
    'Only callers who see all projects get the names. Other callers could find out from them which names belong to flags of private projects.',
  responses: { 200: { description: 'The names, with their repositories', schema: UnknownInCodeSchema } },
  async handle({ caller, asker }, { fixedStates }) {
    const state = fixedStates.until(asker);
    const { isAll } = visibleProjects(state, caller);
    const names = isAll ? await inSlices(unknownNames(state), Slicer.of(asker)) : [];
    return listAnswer({ isComplete: isAll }, 'unknownFlags', names, presentUnknown);
  },
});

export const codeReferenceEndpoints = [
  listRepositories,
  replaceReferences,
  deleteRepository,
  getReferences,
  getUnused,
  getUnknown,
];
