import { assert } from '../../base/assert.ts';
import { etagOfJson } from '../../base/json-hash.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type Decidable, decideInSteps } from '../../engine/command.ts';
import type { Edit } from '../../model/caller.ts';
import type { EventType } from '../../model/event.ts';
import type { CollectionName, Collections, StateReader } from '../../state/collections.ts';

export type Params = Readonly<Record<string, unknown>>;

/** Which events are about an entity. `id`: also the `id` in their data must be this one. */
interface EventFilter {
  readonly types?: readonly EventType[];
  readonly project?: string;
  readonly environment?: string;
  readonly feature?: string;
  readonly id?: unknown;
}

/** A kind of entity that people edit: how it is found from a path, and what its ETag covers. Routes state the kind: `edits: 'segment'`. */
export interface Edited {
  /** The stored entity; undefined if it does not exist. */
  find(reader: StateReader, params: Params): object | undefined;
  /** What the ETag covers: JSON values, each of them small enough for one step. It contains no usage data. */
  parts?(entity: never, reader: StateReader): Iterable<unknown>;
  /** The events about the entity: the newest one shows who changed it last. Missing if not every change records one. */
  events?(params: Params): EventFilter;
  /** Whether the ETag also covers other entities. It is then computed anew for every answer. */
  readonly coversOthers?: true;
  /** The parameters of the route that shows the entity, if the other routes have other names for them. */
  shownBy?(params: Params, entity: never): Params;
}

/** Kind → how entities of the kind are edited. */
export type EditedKinds<Kind extends string = string> = Readonly<Record<Kind, Edited>>;

/** Every kind of entity that has an ETag. `features/modules.ts` adds the kinds of all features by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: its members are merged in.
export interface EditedTable {}

export type EditedKind = keyof EditedTable & string;

let table: EditedKinds | undefined;

/** Called once, by the list of features. */
export function defineEdited(kinds: EditedKinds): void {
  assert(!table, 'the kinds of edited entities are defined twice');
  table = kinds;
}

export function editedKind(kind: EditedKind): Edited {
  const found = table?.[kind];
  assert(found, `no kind ${kind} is defined: import features/modules.ts first`);
  return found;
}

/**
 * The entities of a collection, whose key is the parameter `by` of a path. Their events have the types `<event>-created` and `<event>-updated`, and their
 * `id` or `name` in the data.
 */
export function editedBy<C extends CollectionName>(
  collection: C,
  by: string,
  event: string,
  more: Omit<Partial<Edited>, 'events' | 'parts'> & {
    readonly parts?: (entity: Collections[C], reader: StateReader) => Iterable<unknown>;
  } = {},
): Edited {
  return {
    find: (reader, params) => reader.get(collection, String(params[by])),
    events: (params) => ({ id: params[by], types: [`${event}-created`, `${event}-updated`] as EventType[] }),
    ...more,
  };
}

/** Constraints are the long part of what an ETag covers: each is a part of its own. */
export function* partsWithConstraints(
  owners: Iterable<{ readonly constraints: readonly unknown[] }>,
): Generator<unknown> {
  for (const { constraints, ...rest } of owners) {
    yield rest;
    yield* constraints;
  }
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
