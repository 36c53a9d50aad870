import Type, { type Static } from 'typebox';
import { forbidden, may } from '../../../access/may.ts';
import { conflict, invalid, notAllowed, notFound, Rejection, withPathPrefix } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { type CommandContext, command, longCommand } from '../../../engine/command.ts';
import { userCaller } from '../../../model/caller.ts';
import { NameReference } from '../../../model/primitives.ts';
import type { StateReader } from '../../../state/collections.ts';
import { LEGAL_VALUES_IGNORED, validateConstraints } from '../../flags/constraints/validate.ts';
import { findServiceAccount } from '../../people/personal-tokens/commands.ts';
import { writtenFields } from '../../shared/entity-fields.ts';
import { limitRejection } from '../../shared/limit-checks.ts';
import { findFeature, findProject, findProjectEnvironment } from '../../shared/lookup.ts';
import { findSignalEndpoint } from '../endpoints/commands.ts';
import { SIGNAL_LIMITS } from '../limits.ts';
import { Action, ActionSet, permissionOf } from './action-set.ts';
import { constraintOf } from './filters.ts';

const SetId = ActionSet.properties.id;

const FIELDS = {
  project: NameReference,
  ...writtenFields(ActionSet, 'name', 'description', 'enabled', 'actorId', 'sourceId', 'filters'),
  actions: Type.Array(Type.Omit(Action, ['id']), {
    minItems: 1,
    maxItems: SIGNAL_LIMITS.actionSetActions.max,
  }),
};
const Fields = Type.Object(FIELDS);
type Fields = Static<typeof Fields>;

export function findActionSet(reader: StateReader, project: string, id: number): ActionSet | Rejection {
  const found = findProject(reader, project);
  if (found instanceof Rejection) return found;
  const set = reader.get('actionSets', String(id));
  return set?.project === project
    ? set
    : notFound(`There is no action set with the id ${id} in the project ${project}.`);
}

/** The action sets of the project, in the order of creation. */
export function actionSetsOf(reader: StateReader, project: string): ActionSet[] {
  return [...reader.lookup('actionSetsByProject', project)].sort((left, right) => left.id - right.id);
}

export const createActionSet = longCommand({
  name: 'create-action-set',
  input: Fields,
  *decide(context, input) {
    const { draft, now, by, emit, limits } = context;
    const { project } = input;
    const checked = yield* checkedFields(context, input);
    if (checked instanceof Rejection) return checked;
    const count = draft.count('actionSetsByProject', project) + 1;
    if (count > limits.actionSetsPerProject)
      return limitRejection(`The project ${project}`, 'actionSetsPerProject', count, limits);
    const set: ActionSet = {
      id: draft.next('actionSets'),
      project,
      ...checked,
      createdAt: now,
      createdByUserId: by.id,
    };
    draft.put('actionSets', set);
    emit({ type: 'actions-created', project, data: set });
    return set;
  },
});

export const updateActionSet = longCommand({
  name: 'update-action-set',
  input: Type.Object({ id: SetId, ...FIELDS }),
  *decide(context, { id, ...input }) {
    const before = findActionSet(context.draft, input.project, id);
    if (before instanceof Rejection) return before;
    const checked = yield* checkedFields(context, input, before);
    return checked instanceof Rejection ? checked : replace(context, before, { ...before, ...checked });
  },
});

/** Everyone who may change action sets may switch one off. To switch it on needs the same rights as to save it. */
export const switchActionSet = command({
  name: 'switch-action-set',
  input: Type.Object({ project: NameReference, id: SetId, enabled: Type.Boolean() }),
  decide(context, { project, id, enabled }) {
    const before = findActionSet(context.draft, project, id);
    if (before instanceof Rejection) return before;
    const problem = enabled ? rightsProblem(context, before) : undefined;
    return problem ?? replace(context, before, { ...before, enabled });
  },
});

/** Deletes an action set with its executions. Actions that wait are not made. */
export const deleteActionSet = command({
  name: 'delete-action-set',
  input: Type.Object({ project: NameReference, id: SetId }),
  decide(context, { project, id }) {
    const set = findActionSet(context.draft, project, id);
    if (set instanceof Rejection) return set;
    remove(context, set);
    return undefined;
  },
});

/** Deletes the action sets of a project that is deleted. */
export function* removeActionSetsOf(context: CommandContext, project: string): Steps<void> {
  for (const set of actionSetsOf(context.draft, project)) {
    remove(context, set);
    yield;
  }
}

function remove({ draft, emit }: CommandContext, set: ActionSet): void {
  for (const { id } of [...draft.lookup('actionRunsBySet', String(set.id))]) draft.remove('actionRuns', String(id));
  draft.remove('actionSets', String(set.id));
  emit({ type: 'actions-deleted', project: set.project, preData: set });
}

function replace({ draft, emit }: CommandContext, before: ActionSet, after: ActionSet): ActionSet {
  draft.put('actionSets', after);
  emit({ type: 'actions-updated', project: before.project, data: after, preData: before });
  return after;
}

type Checked = Omit<ActionSet, 'id' | 'project' | 'createdAt' | 'createdByUserId'>;

/** The fields of the set as they are stored, or the first problem. */
function* checkedFields(context: CommandContext, input: Fields, before?: ActionSet): Steps<Checked | Rejection> {
  const { draft } = context;
  const { project, name, description, enabled, actorId, sourceId } = input;
  const found = findProject(draft, project);
  if (found instanceof Rejection) return found;
  if (actionSetsOf(draft, project).some((other) => other.name === name && other.id !== before?.id))
    return conflict(`The project ${project} already has an action set with the name ${name}.`);
  if (findSignalEndpoint(draft, sourceId) instanceof Rejection)
    return invalid(`There is no signal endpoint with the id ${sourceId}.`, '/match/sourceId');
  const { max } = SIGNAL_LIMITS.actionSetsOfEndpoint;
  if (before?.sourceId !== sourceId && draft.count('actionSetsByEndpoint', String(sourceId)) >= max)
    return invalid(`A signal endpoint has at most ${max} action sets.`, '/match/sourceId');
  if (findServiceAccount(draft, actorId) instanceof Rejection)
    return invalid(`There is no service account with the id ${actorId}.`, '/actorId');
  const problem = sizeProblem(context, input) ?? actionsProblem(draft, input) ?? (yield* filtersProblem(draft, input));
  if (problem) return problem;
  const filters = input.filters.map(({ path, operator, inverted, caseInsensitive, value, values }) => ({
    path,
    operator,
    ...(inverted !== undefined && { inverted }),
    ...(caseInsensitive !== undefined && { caseInsensitive }),
    ...(value !== undefined && { value }),
    ...(values !== undefined && { values: [...values] }),
  }));
  const actions = input.actions.map(({ action, featureName, environment, milestone }, index) => ({
    id: index + 1,
    action,
    featureName,
    environment,
    ...(action === 'START_MILESTONE' && { milestone }),
  }));
  const checked = { name, description, enabled, actorId, sourceId, filters, actions };
  return rightsProblem(context, { project, actorId, actions }) ?? checked;
}

function sizeProblem({ limits }: CommandContext, { filters, actions, name }: Fields): Rejection | undefined {
  const subject = `The action set ${name}`;
  if (actions.length > limits.actionSetActions)
    return limitRejection(subject, 'actionSetActions', actions.length, limits);
  if (filters.length > limits.actionSetFilters)
    return limitRejection(subject, 'actionSetFilters', filters.length, limits);
  const values = Math.max(0, ...filters.map((filter) => filter.values?.length ?? 0));
  return values > limits.actionSetFilterValues
    ? limitRejection(subject, 'actionSetFilterValues', values, limits)
    : undefined;
}

function* filtersProblem(reader: StateReader, { filters }: Fields): Steps<Rejection | undefined> {
  for (const filter of filters) {
    const valid = yield* validateConstraints(reader, [constraintOf(filter)], [], LEGAL_VALUES_IGNORED);
    if (valid instanceof Rejection) {
      const message = `The filter of ${filter.path} is not valid. ${valid.message}`;
      return withPathPrefix(new Rejection(valid.name, message), '/match/payload');
    }
  }
  return undefined;
}

function actionsProblem(reader: StateReader, { project, actions }: Fields): Rejection | undefined {
  for (const [index, { action, featureName, environment, milestone }] of actions.entries()) {
    if (action === 'START_MILESTONE' && milestone === undefined)
      return invalid('The action needs the name of a milestone.', `/actions/${index}/executionParams/milestone`);
    const problem = [
      findFeature(reader, project, featureName),
      findProjectEnvironment(reader, project, environment),
    ].find((found) => found instanceof Rejection);
    if (problem instanceof Rejection) return invalid(problem.message, `/actions/${index}/executionParams`);
  }
  return undefined;
}

/**
 * An action set must not give its author rights that only the service account has: the author needs the permission for every action. An account that
 * needs no review may be chosen only by people who need none.
 */
function rightsProblem(
  { draft, caller }: CommandContext,
  { project, actorId, actions }: Pick<ActionSet, 'project' | 'actorId' | 'actions'>,
): Rejection | undefined {
  const account = findServiceAccount(draft, actorId);
  if (account instanceof Rejection) return invalid(`There is no service account with the id ${actorId}.`, '/actorId');
  const actor = userCaller(account, null);
  for (const action of actions) {
    const { environment } = action;
    const needed = permissionOf(action);
    if (!may(draft, caller, needed, project, environment)) return forbidden([needed], project, environment);
    const skips = may(draft, actor, 'SKIP_CHANGE_REQUEST', project, environment);
    if (skips && !may(draft, caller, 'SKIP_CHANGE_REQUEST', project, environment))
      return notAllowed(
        `The service account ${account.name ?? account.username} may change the environment ${environment} without a review, and you may not. ` +
          'Choose an account without the permission SKIP_CHANGE_REQUEST.',
        '/actorId',
      );
  }
  return undefined;
}
