import Type from 'typebox';
import { conflict, invalid, notFound, Rejection } from '../../base/rejection.ts';
import { type CommandContext, command, longCommand, removing } from '../../engine/command.ts';
import { Environment } from '../../model/environment.ts';
import { NameReference, SortOrder } from '../../model/primitives.ts';
import type { StateReader } from '../../state/collections.ts';
import { writtenFields } from '../shared/entity-fields.ts';
import { findEnvironment } from '../shared/lookup.ts';
import { suppliedFields } from '../shared/supplied-fields.ts';
import { removalBy, type UndoRule, undoOfEdits } from '../shared/undoing.ts';

export const NewEnvironmentFields = writtenFields(
  Environment,
  'name',
  'type',
  'enabled?',
  'sortOrder?',
  'requireReason?',
  'fetchMode?',
);

export const EnvironmentChanges = writtenFields(Environment, 'type?', 'sortOrder?', 'requireReason?', 'fetchMode?');

/** Sort order of an environment that is created without a sort order. It puts the environment after the environments of a new instance. */
export const DEFAULT_SORT_ORDER = 9999;

/** Creates an environment. No project has the environment until it is added to a project. */
export const createEnvironment = command({
  name: 'create-environment',
  input: Type.Object(NewEnvironmentFields),
  decide({ draft, emit }, input) {
    const problem = environmentNameProblem(draft, input.name);
    if (problem) return problem;
    const environment: Environment = {
      name: input.name,
      type: input.type,
      enabled: input.enabled ?? true,
      protected: false,
      sortOrder: input.sortOrder ?? DEFAULT_SORT_ORDER,
      ...(input.requireReason && { requireReason: true }),
      ...(input.fetchMode && { fetchMode: input.fetchMode }),
    };
    draft.put('environments', environment);
    emit({ type: 'environment-created', environment: environment.name, data: environment });
    return environment;
  },
});

/** Returns a rejection if an environment already has the name. */
export function environmentNameProblem(reader: StateReader, name: string): Rejection | undefined {
  return reader.get('environments', name)
    ? conflict(`An environment with the name ${name} already exists.`)
    : undefined;
}

/** Changes only the specified properties of an environment. */
export const updateEnvironment = command({
  name: 'update-environment',
  input: Type.Object({ name: NameReference, ...EnvironmentChanges }),
  decide(context, { name, ...rest }) {
    const before = findEnvironment(context.draft, name);
    return before instanceof Rejection
      ? before
      : replace(context, before, { ...before, ...suppliedFields(EnvironmentChanges, rest) });
  },
});

/** Switches an environment on or off. An environment that is off cannot be added to projects. Projects that already have the environment keep it. */
export const switchEnvironment = command({
  name: 'switch-environment',
  input: Type.Object({ name: NameReference, enabled: Type.Boolean() }),
  decide(context, input) {
    const before = findEnvironment(context.draft, input.name);
    if (before instanceof Rejection || before.enabled === input.enabled) return before;
    return replace(context, before, { ...before, enabled: input.enabled });
  },
});

/** Sets the sort orders of the named environments. The sort orders of other environments do not change. */
export const sortEnvironments = command({
  name: 'sort-environments',
  input: Type.Object({ order: Type.Array(Type.Object({ name: Type.String(), sortOrder: SortOrder })) }),
  decide(context, { order }) {
    for (const { name, sortOrder } of order) {
      const before = context.draft.get('environments', name);
      if (!before) return notFound(`The environment ${name} does not exist.`);
      if (before.sortOrder !== sortOrder) replace(context, before, { ...before, sortOrder });
    }
    return undefined;
  },
});

/** Deletes an environment and its tokens. Its projects lose the environment and the configuration that their flags have in it. */
export const deleteEnvironment = longCommand({
  name: 'delete-environment',
  input: Type.Object({ name: NameReference }),
  *decide(context, { name }) {
    const { draft, emit } = context;
    const environment = findEnvironment(draft, name);
    if (environment instanceof Rejection) return environment;
    if (environment.protected) return invalid(`The environment ${name} is protected: it cannot be deleted.`);
    yield* removing(context, 'environment', name);
    draft.remove('environments', name);
    emit({ type: 'environment-deleted', environment: name, preData: environment });
    return undefined;
  },
});

function replace({ draft, emit }: CommandContext, before: Environment, after: Environment): Environment {
  draft.put('environments', after);
  emit({ type: 'environment-updated', environment: after.name, data: after, preData: before });
  return after;
}

export const undoEnvironment: UndoRule<Environment> = undoOfEdits({
  collection: 'environments',
  shape: Environment,
  place: ({ name }) => ({ environment: name }),
  needs: { create: ['CREATE_ENVIRONMENT'], update: ['UPDATE_ENVIRONMENT'], remove: ['DELETE_ENVIRONMENT'] },
  events: { created: 'environment-created', updated: 'environment-updated' },
  remove: removalBy(deleteEnvironment, ({ name }) => ({ name }), environmentInUse),
});

/** An undo deletes only an environment that nothing else refers to. */
function environmentInUse({ draft }: CommandContext, { name }: Environment): Rejection | undefined {
  const counts = [
    [draft.count('projectsByEnvironment', name), 'projects'],
    [draft.count('tokensByEnvironment', name), 'API tokens'],
    [draft.count('rolesByEnvironment', name), 'roles'],
  ] as const;
  for (const [count, what] of counts) {
    if (count > 0) return conflict(`The environment ${name} is in use: ${count} ${what} refer to it.`);
  }
  return undefined;
}
