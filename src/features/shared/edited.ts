import { etagOfJson } from '../../base/json-hash.ts';
import { byText, sortedInSteps } from '../../base/lists/sorted.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type Decidable, decideInSteps } from '../../engine/command.ts';
import type { Edit } from '../../model/caller.ts';
import type { ChangeRequest } from '../../model/change-request.ts';
import type { EventType } from '../../model/event.ts';
import { type Feature, featureEnvironment } from '../../model/feature.ts';
import { type ProjectRoles, projectRolesKey } from '../../model/project-roles.ts';
import { BUILT_IN_ROLES } from '../../model/role.ts';
import type { Segment } from '../../model/segment.ts';
import type { Strategy } from '../../model/strategy.ts';
import type { StateReader } from '../../state/collections.ts';

type Params = Readonly<Record<string, unknown>>;

/** Which events are about an entity. `id`: also the `id` in their data must be this one. */
interface EventFilter {
  readonly types?: readonly EventType[];
  readonly project?: string;
  readonly environment?: string;
  readonly feature?: string;
  readonly id?: unknown;
}

/** A kind of entity that people edit. Path parameters of a route identify the entity. */
interface Edited {
  /** The stored entity; undefined if it does not exist. */
  find(reader: StateReader, params: Params): object | undefined;
  /** What the ETag covers: JSON values, each of them small enough for one step. It contains no usage data. */
  parts?(entity: never, reader: StateReader): Iterable<unknown>;
  /** The events about the entity: the newest one shows who changed it last. Missing if not every change records one. */
  events?(params: Params): EventFilter;
  /** Whether the ETag also covers other entities. It is then computed anew for every answer. */
  readonly coversOthers?: true;
  /** Whether the route that shows the entity also shows what its ETag does not cover. It then never answers 304. */
  readonly showsMore?: true;
  /** The parameters of the route that shows the entity, if the other routes have other names for them. */
  shownBy?(params: Params, entity: never): Params;
}

const text = (value: unknown) => String(value);

/** The flag of the path: some routes name it as a child of other flags. */
const flagName = ({ featureName, child }: Params) => text(featureName ?? child);

/** Constraints are the long part: each is a part of its own. */
function* partsWithConstraints(owners: Iterable<{ readonly constraints: readonly unknown[] }>): Generator<unknown> {
  for (const { constraints, ...rest } of owners) {
    yield rest;
    yield* constraints;
  }
}

function* partsOfFlag(feature: Feature): Generator<unknown> {
  // Collaborators and the time of the change are recorded after the command.
  const { environments, collaborators, changedAt, ...rest } = feature;
  yield rest;
  for (const { strategies, ...environment } of environments) {
    yield environment;
    yield* partsWithConstraints(strategies);
  }
}

const ACCESS_EVENTS: readonly EventType[] = [
  ...['project-access-added', 'project-access-updated'],
  ...['project-access-user-roles-updated', 'project-access-user-roles-deleted'],
  ...['project-access-group-roles-updated', 'project-access-group-roles-deleted'],
  ...['project-user-added', 'project-user-role-changed', 'project-user-removed'],
  ...['project-group-added', 'project-group-role-changed', 'project-group-removed'],
] as const;

/**
 * Every kind of entity that has an ETag. Routes state the kind: `edits: 'segment'`. This is the only statement of how an entity is found from a path, and
 * of what its ETag covers.
 */
const KINDS = {
  feature: {
    find: (reader, params) => reader.get('features', flagName(params)),
    parts: partsOfFlag,
    events: (params) => ({ feature: flagName(params) }),
    shownBy: (params, { project }: Feature) => ({ projectId: project, featureName: flagName(params) }),
  },
  featureEnvironment: {
    find(reader, params) {
      const feature = reader.get('features', flagName(params));
      return feature && featureEnvironment(feature, text(params.environment));
    },
    *parts({ strategies, ...environment }: ReturnType<typeof featureEnvironment>) {
      yield environment;
      yield* partsWithConstraints(strategies);
    },
    events: (params) => ({ feature: flagName(params), environment: text(params.environment) }),
  },
  strategy: {
    find(reader, { featureName, environment, strategyId }) {
      const feature = reader.get('features', text(featureName));
      return feature && featureEnvironment(feature, text(environment)).strategies.find(({ id }) => id === strategyId);
    },
    parts: (strategy: Strategy) => partsWithConstraints([strategy]),
    events: ({ featureName, environment, strategyId }) => ({
      ...{ feature: text(featureName), environment: text(environment), id: strategyId },
      types: ['feature-strategy-add', 'feature-strategy-update'],
    }),
  },
  segment: {
    find: (reader, { id }) => reader.get('segments', text(id)),
    parts: (segment: Segment) => partsWithConstraints([segment]),
    events: ({ id }) => ({ id, types: ['segment-created', 'segment-updated'] }),
  },
  project: {
    find: (reader, { projectId }) => reader.get('projects', text(projectId)),
    events: ({ projectId }) => ({
      project: text(projectId),
      types: [
        ...['project-created' as const, 'project-updated' as const, 'project-archived' as const],
        ...['project-revived' as const, 'project-environment-added' as const, 'project-environment-removed' as const],
      ],
    }),
  },
  projectAccess: {
    find: (reader, { projectId }) => reader.get('projects', text(projectId)),
    *parts({ id }: { readonly id: string }, reader: StateReader) {
      // The order of an index differs between replicas. A project may have many holders of roles: they are sorted in steps. The number of steps depends
      // only on the number of holders, so the empty parts do too.
      const keyOf = ({ holder, holderId }: ProjectRoles) => projectRolesKey(id, holder, holderId);
      const sorting = sortedInSteps(reader.lookup('rolesByProject', id), (one, other) =>
        byText(keyOf(one), keyOf(other)),
      );
      let step = sorting.next();
      for (; !step.done; step = sorting.next()) yield null;
      for (const { holder, holderId, roles } of step.value) yield [holder, holderId, roles];
    },
    coversOthers: true,
    showsMore: true,
    events: ({ projectId }) => ({ project: text(projectId), types: ACCESS_EVENTS }),
  },
  changeRequest: {
    find(reader, { projectId, id }) {
      const request = reader.get('changeRequests', text(id));
      return request?.project === projectId ? request : undefined;
    },
    *parts({ changes, comments, ...rest }: ChangeRequest) {
      yield rest;
      yield* changes;
      yield* comments;
    },
    // Conflicts with the current flags are computed for each answer.
    showsMore: true,
  },
  environment: {
    find: (reader, { name }) => reader.get('environments', text(name)),
    events: ({ name }) => ({ environment: text(name), types: ['environment-created', 'environment-updated'] }),
  },
  contextField: {
    find: (reader, { contextField }) => reader.get('contextFields', text(contextField)),
    events: ({ contextField }) => ({
      id: contextField,
      types: ['context-field-created', 'context-field-updated'],
    }),
  },
  role: {
    find: (reader, { roleId }) => reader.get('roles', text(roleId)) ?? BUILT_IN_ROLES.get(Number(roleId)),
    events: ({ roleId }) => ({ id: roleId, types: ['role-created', 'role-updated'] }),
  },
  group: {
    find: (reader, { groupId }) => reader.get('groups', text(groupId)),
    *parts(group: { readonly id: number }, reader: StateReader) {
      yield group;
      // The order of an index differs between replicas.
      const members = Array.from(reader.lookup('membersByGroup', text(group.id)), ({ userId }) => userId);
      yield members.sort((left, right) => left - right);
    },
    coversOthers: true,
    events: ({ groupId }) => ({ id: groupId, types: ['group-created', 'group-updated'] }),
  },
  user: {
    find: (reader, { id }) => reader.get('users', text(id)),
    // Not covered: when the user was seen, and their password and identities, which other routes change.
    parts: ({ seenAt, loginAttempts, passwordHash, identities, ...user }: Params) => [user],
    events: ({ id }) => ({ id, types: ['user-created', 'user-updated'] }),
  },
  tagType: {
    find: (reader, { name }) => reader.get('tagTypes', text(name)),
    events: ({ name }) => ({ id: name, types: ['tag-type-created', 'tag-type-updated'] }),
  },
  strategyType: {
    find: (reader, { name }) => reader.get('strategyTypes', text(name)),
    events: ({ name }) => ({ id: name, types: ['strategy-created', 'strategy-updated'] }),
  },
} as const satisfies Readonly<Record<string, Edited>>;

export type EditedKind = keyof typeof KINDS;

export function editedKind(kind: EditedKind): Edited {
  return KINDS[kind];
}

const etags = new WeakMap<object, string>();

/** The ETag of the entity; undefined if it does not exist. */
export function* etagOf(
  reader: StateReader,
  { kind, params }: Pick<Edit, 'kind' | 'params'>,
): Steps<string | undefined> {
  const { find, parts, coversOthers = false } = editedKind(kind as EditedKind);
  const entity = find(reader, params);
  if (!entity) return undefined;
  const known = coversOthers ? undefined : etags.get(entity);
  if (known !== undefined) return known;
  const etag = yield* etagOfJson(parts ? parts(entity as never, reader) : [entity]);
  if (!coversOthers) etags.set(entity, etag);
  return etag;
}

const CHANGED = new Rejection(
  'PreconditionFailed',
  'The object has changed since you read it; nothing was changed. Read it again, make your change on what it is now, and send its new ETag.',
);

/** The result of a command that changes an entity with an ETag. `etag`: the ETag after the command; undefined if the entity does not exist any more. */
interface Tagged<Output> {
  readonly value: Output;
  readonly etag: string | undefined;
}

/**
 * The command, on the condition that the entity has one of the ETags of the request. The condition is checked on the draft on which the command is
 * decided, so no other change can come in between, on any replica. A request that would be refused without the condition is refused in the same way
 * (RFC 9110, 13.2.1): callers learn nothing about an entity that they may not see or change.
 */
export function conditional<Input, Output>(
  command: Decidable<Input, Output>,
  edit: Edit,
): Decidable<Input, Tagged<Output>> {
  return {
    ...command,
    *decide(context, input) {
      const { ifMatch } = edit;
      const before = ifMatch === null ? undefined : yield* etagOf(context.draft, edit);
      const value = yield* decideInSteps(command, context, input);
      if (value instanceof Rejection) return value;
      const isMet = ifMatch === null || (before !== undefined && (ifMatch === '*' || ifMatch.includes(before)));
      return isMet ? { value, etag: yield* etagOf(context.draft, edit) } : CHANGED;
    },
  };
}
