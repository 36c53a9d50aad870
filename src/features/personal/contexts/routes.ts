import Type from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import { created, listAnswer, ok } from '../../../http/answer.ts';
import { createdResponses } from '../../../http/endpoint.ts';
import type { Caller } from '../../../model/caller.ts';
import type { StateReader } from '../../../state/collections.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { answeredFields } from '../../shared/entity-fields.ts';
import { findProject } from '../../shared/lookup.ts';
import { ofUser } from '../of-user.ts';
import {
  createContextSet,
  deleteContextSet,
  findSet,
  isShared,
  NewSetFields,
  SetChanges,
  setsOf,
  setsOfProject,
  updateContextSet,
} from './commands.ts';
import { ContextSet } from './context-set.ts';

const route = routesOf('Personal data');

const summaryFields = {
  ...answeredFields(ContextSet, 'id', 'userId', 'name', 'project'),
  count: Type.Integer({ minimum: 0, description: 'Number of contexts' }),
  ...answeredFields(ContextSet, 'bytes', 'createdAt', 'updatedAt'),
};

const ContextSetSummary = Type.Object(summaryFields, { $id: 'contextSetSummary' });

const ContextSetSchema = Type.Object(
  { ...summaryFields, ...answeredFields(ContextSet, 'contexts') },
  { $id: 'contextSet' },
);

const ContextSetList = Type.Object({ contextSets: Type.Array(ContextSetSummary) }, { $id: 'contextSets' });

const params = { id: ContextSet.properties.id };

const DESCRIPTION =
  'The caller must be a user, with a session or a personal access token. A set that is shared with a project can be read by all users who see the ' +
  'project, and changed and deleted by those with the permission UPDATE_FEATURE in it. No audit event is recorded.';

/** The set without its contexts. Owners who may not see the project any more are not sent its id. */
function presentSummary(set: ContextSet, caller: Caller, state: StateReader) {
  const { id, userId, name, contexts, bytes, createdAt, updatedAt } = set;
  const project = isShared({ draft: state, caller }, set) ? set.project : null;
  return { id, userId, name, project, count: contexts.length, bytes, createdAt, updatedAt };
}

const listSets = route('GET /api/admin/user/contexts', 'getOwnContextSets', {
  access: { permission: 'READ' },
  summary: 'The saved context sets of the caller, without their contexts',
  description: DESCRIPTION,
  responses: { 200: { description: 'The sets, in the order of creation', schema: ContextSetList } },
  errors: [400],
  handle: ({ caller }, { state }) =>
    ofUser(caller, (userId) =>
      listAnswer({}, 'contextSets', setsOf(state, userId), (set) => presentSummary(set, caller, state)),
    ),
});

const listSetsOfProject = route('GET /api/admin/projects/:projectId/context-sets', 'getContextSetsOfProject', {
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'The saved context sets that are shared with a project, without their contexts',
  responses: { 200: { description: 'The sets, in the order of creation', schema: ContextSetList } },
  handle({ params: { projectId }, caller }, { state }) {
    const project = findProject(state, projectId);
    if (project instanceof Rejection) return project;
    const sets = setsOfProject(state, project.id);
    return listAnswer({}, 'contextSets', sets, (set) => presentSummary(set, caller, state));
  },
});

const getSet = route('GET /api/admin/user/contexts/:id', 'getOwnContextSet', {
  access: { permission: 'READ' },
  summary: 'A saved context set with its contexts: one of the caller, or one that is shared with a project',
  description: DESCRIPTION,
  params,
  responses: { 200: { description: 'The set', schema: ContextSetSchema } },
  handle: ({ params: { id }, caller }, { state }) =>
    ofUser(caller, (userId) => {
      const set = findSet({ draft: state, caller }, userId, id);
      if (set instanceof Rejection) return set;
      return listAnswer(presentSummary(set, caller, state), 'contexts', set.contexts, (context) => context);
    }),
});

const addSet = route('POST /api/admin/user/contexts', 'createOwnContextSet', {
  access: { permission: 'READ' },
  summary: 'Saves contexts under a name, for playgrounds and previews. The answer is without the contexts',
  description: DESCRIPTION,
  body: Type.Object(NewSetFields, { $id: 'createContextSet' }),
  responses: createdResponses('The set', ContextSetSummary),
  errors: [404, 409],
  handle: ({ body, caller }, services) =>
    ofUser(caller, (userId) =>
      change(services, caller, createContextSet, { ...body, userId }, (set) =>
        created(
          presentSummary(set, caller, services.state),
          `${services.config.basePath}/api/admin/user/contexts/${set.id}`,
        ),
      ),
    ),
});

const changeSet = route('PUT /api/admin/user/contexts/:id', 'changeOwnContextSet', {
  access: { permission: 'READ' },
  summary: 'Changes only the specified properties of a saved context set. The answer is without the contexts',
  description: `${DESCRIPTION} Only the owner can change the project.`,
  params,
  body: Type.Object(SetChanges, { $id: 'updateContextSet' }),
  responses: { 200: { description: 'The set as it is now', schema: ContextSetSummary } },
  errors: [409],
  handle: ({ params: { id }, body, caller }, services) =>
    ofUser(caller, (userId) =>
      change(services, caller, updateContextSet, { ...body, userId, id }, (set) =>
        ok(presentSummary(set, caller, services.state)),
      ),
    ),
});

const removeSet = route('DELETE /api/admin/user/contexts/:id', 'deleteOwnContextSet', {
  access: { permission: 'READ' },
  summary: 'Deletes a saved context set',
  description: DESCRIPTION,
  params,
  responses: { 200: { description: 'The set was deleted' } },
  handle: ({ params: { id }, caller }, services) =>
    ofUser(caller, (userId) => change(services, caller, deleteContextSet, { userId, id })),
});

export const contextSetEndpoints = [listSets, listSetsOfProject, getSet, addSet, changeSet, removeSet];
