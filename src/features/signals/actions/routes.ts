import Type, { type Static } from 'typebox';
import { invalid, Rejection } from '../../../base/rejection.ts';
import { created, listAnswer, ok } from '../../../http/answer.ts';
import { createdResponses } from '../../../http/endpoint.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { findProject } from '../../shared/lookup.ts';
import { SIGNAL_LIMITS } from '../limits.ts';
import {
  actionSetsOf,
  createActionSet,
  deleteActionSet,
  findActionSet,
  switchActionSet,
  updateActionSet,
} from './commands.ts';
import { presentActionRun, presentActionSet } from './present.ts';
import { ActionSetBody, ActionSetEventsSchema, ActionSetSchema, ActionSetsSchema } from './schemas.ts';

const route = routesOf('Actions');

const PATH = '/api/admin/projects/:projectId/actions';
const params = { id: Type.Integer({ minimum: 1 }) };
const READING = { permission: 'READ', project: 'path.projectId' } as const;
const WRITING = { permission: ['UPDATE_PROJECT', 'PROJECT_SETTINGS_WRITE'], project: 'path.projectId' } as const;

const RIGHTS =
  'The caller needs UPDATE_FEATURE_ENVIRONMENT in the environment of every action that switches a flag, and UPDATE_FEATURE_STRATEGY for release plans. A service account that may skip change requests can be chosen ' +
  'only by callers who may skip them.';

const getActionSets = route(`GET ${PATH}`, 'getActionSets', {
  access: READING,
  summary: 'The action sets of a project: what happens after signals of monitors',
  responses: { 200: { description: 'The action sets', schema: ActionSetsSchema } },
  handle({ params: { projectId } }, { state }) {
    const project = findProject(state, projectId);
    if (project instanceof Rejection) return project;
    return listAnswer({}, 'actions', actionSetsOf(state, projectId), presentActionSet);
  },
});

const getActionSet = route(`GET ${PATH}/:id`, 'getActionSet', {
  access: READING,
  summary: 'An action set',
  params,
  responses: { 200: { description: 'The action set', schema: ActionSetSchema } },
  handle({ params: { projectId, id } }, { state }) {
    const set = findActionSet(state, projectId, id);
    return set instanceof Rejection ? set : ok(presentActionSet(set));
  },
});

const create = route(`POST ${PATH}`, 'createActionSet', {
  access: WRITING,
  summary: 'Creates an action set',
  description: RIGHTS,
  body: ActionSetBody,
  responses: createdResponses('The action set', ActionSetSchema),
  errors: [409],
  handle({ params: { projectId }, body, caller }, services) {
    const input = inputOf(projectId, body);
    if (input instanceof Rejection) return input;
    const path = `${services.config.basePath}/api/admin/projects/${encodeURIComponent(projectId)}/actions`;
    return change(services, caller, createActionSet, input, (set) =>
      created(presentActionSet(set), `${path}/${set.id}`),
    );
  },
});

const update = route(`PUT ${PATH}/:id`, 'updateActionSet', {
  access: WRITING,
  summary: 'Replaces an action set; executions that wait keep their actions',
  description: RIGHTS,
  params,
  body: ActionSetBody,
  responses: { 200: { description: 'The action set as it is now', schema: ActionSetSchema } },
  errors: [409],
  handle({ params: { projectId, id }, body, caller }, services) {
    const input = inputOf(projectId, body);
    if (input instanceof Rejection) return input;
    return change(services, caller, updateActionSet, { id, ...input }, (set) => ok(presentActionSet(set)));
  },
});

const switchTo = (position: 'on' | 'off') =>
  route(`POST ${PATH}/:id/${position}`, `toggleActionSet${position === 'on' ? 'On' : 'Off'}`, {
    access: WRITING,
    summary: `Switches an action set ${position}${position === 'off' ? '; actions that wait are not made' : ''}`,
    ...(position === 'on' && { description: RIGHTS }),
    params,
    responses: { 200: { description: 'The action set as it is now', schema: ActionSetSchema } },
    handle: ({ params: { projectId: project, id }, caller }, services) =>
      change(services, caller, switchActionSet, { project, id, enabled: position === 'on' }, (set) =>
        ok(presentActionSet(set)),
      ),
  });

const remove = route(`DELETE ${PATH}/:id`, 'deleteActionSet', {
  access: WRITING,
  summary: 'Deletes an action set with its executions; actions that wait are not made',
  params,
  responses: { 200: { description: 'The action set was deleted' } },
  handle: ({ params: { projectId: project, id }, caller }, services) =>
    change(services, caller, deleteActionSet, { project, id }),
});

const getEvents = route(`GET ${PATH}/:id/events`, 'getActionSetEvents', {
  access: READING,
  summary: 'The newest executions of an action set with the outcome of each action, newest first',
  description: `The last ${SIGNAL_LIMITS.actionRunsKept.max} executions are kept.`,
  params,
  responses: { 200: { description: 'The executions', schema: ActionSetEventsSchema } },
  handle({ params: { projectId, id } }, { state }) {
    const set = findActionSet(state, projectId, id);
    if (set instanceof Rejection) return set;
    const runs = [...state.lookup('actionRunsBySet', String(id))].sort((left, right) => right.id - left.id);
    return listAnswer({}, 'events', runs, presentActionRun);
  },
});

/** A request as the input of a command. */
function inputOf(project: string, { match, actions, ...body }: Static<typeof ActionSetBody>) {
  const { name, description = null, enabled = true, actorId } = body;
  const paths = Object.entries(match.payload ?? {});
  const length = SIGNAL_LIMITS.actionFilterPathLength.max;
  if (paths.some(([path]) => path === '' || path.length > length))
    return invalid(`The path of a filter has from 1 to ${length} characters.`, '/match/payload');
  const other = actions.findIndex(({ executionParams }) => (executionParams.project ?? project) !== project);
  if (other >= 0)
    return invalid(`Actions change only flags of the project ${project}.`, `/actions/${other}/executionParams/project`);
  // The sort is stable: actions without a position keep their order.
  const sorted = actions.toSorted((left, right) => (left.sortOrder ?? 0) - (right.sortOrder ?? 0));
  return {
    project,
    name,
    description,
    enabled,
    actorId,
    sourceId: match.sourceId,
    filters: paths.map(([path, condition]) => ({ ...condition, path })),
    actions: sorted.map(({ action, executionParams: { environment, featureName, milestone } }) => ({
      action,
      environment,
      featureName,
      milestone,
    })),
  };
}

export const actionSetEndpoints = [
  getActionSets,
  getActionSet,
  create,
  update,
  switchTo('on'),
  switchTo('off'),
  remove,
  getEvents,
];
