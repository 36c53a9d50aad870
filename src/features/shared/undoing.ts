import type { TSchema } from 'typebox';
import { permissionProblem } from '../../access/permission-problem.ts';
import { Rejection } from '../../base/rejection.ts';
import { validateInSteps } from '../../base/validation.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { CommandContext, Decidable } from '../../engine/command.ts';
import { decideInSteps } from '../../engine/command.ts';
import type { EventType } from '../../model/event.ts';
import type { Permission } from '../../model/permission.ts';
import type { Collections, OwnKeyName } from '../../state/collections.ts';

/** A result, or steps that lead to it. */
type ResultOrSteps<T> = T | Steps<T>;

/** The result of a hook. */
export function* resultOf<T extends Rejection | boolean | undefined>(outcome: ResultOrSteps<T>): Steps<T> {
  return typeof outcome === 'object' && Symbol.iterator in outcome ? yield* outcome : (outcome as T);
}

/** An entity that a commit changed: as it is now, and as it is without the change. Undefined: it does not exist. */
export interface Undone<E> {
  readonly key: string;
  readonly current: E | undefined;
  readonly wanted: E | undefined;
}

/**
 * How changes of one kind of entity are undone. The rules and the permissions of its ordinary edits apply. The hooks are called in this order, each for
 * all entities of the undo: `check`, `put`, `settle`, `remove`, `finish`.
 */
export interface UndoRule<E> {
  /** Fields that follow from other changes, such as the time of the last change: an undo keeps their current value. */
  readonly derived?: readonly string[];
  /** Lists without an order: each of their items is undone for itself. */
  readonly sets?: readonly string[];
  /** Why the caller may not undo this. Called while nothing is undone: rights that the undo gives back do not count for it. */
  check?(context: CommandContext, undone: Undone<E>): ResultOrSteps<Rejection | undefined>;
  /** Changes the entity, or creates it again. Returns whether it changed. */
  put(
    context: CommandContext,
    undone: Undone<E> & { readonly wanted: E },
    revision: number,
  ): ResultOrSteps<Rejection | boolean>;
  /** Ends what belonged to the state before. */
  settle?(context: CommandContext, undone: Undone<E>): ResultOrSteps<Rejection | undefined>;
  /** Removes an entity that the commit created. Refused if other entities, which stay, depend on it. */
  remove(context: CommandContext, current: E): ResultOrSteps<Rejection | undefined>;
  /** Why the entities cannot be as they are after the undo. */
  finish?(context: CommandContext, undone: Undone<E>): ResultOrSteps<Rejection | undefined>;
}

/** The permissions of an ordinary edit; one of them is enough. */
type Needed = readonly Permission[];

interface Place {
  readonly project?: string | null | undefined;
  readonly environment?: string | undefined;
}

/** The ordinary edits of an entity that is replaced as a whole. */
interface Edits<C extends OwnKeyName, E extends Collections[C]>
  extends Pick<UndoRule<E>, 'derived' | 'sets' | 'finish'> {
  readonly collection: C;
  /** The stored fields. */
  readonly shape?: TSchema;
  /** Where the permissions are needed, and which project and environment the events name. */
  readonly place?: (entity: E) => Place;
  /** For each kind of edit; of an update also by what changes. */
  readonly needs: {
    readonly create: Needed | ((entity: E) => Needed);
    readonly update: Needed | ((entity: E, before: E) => Needed);
    readonly remove: Needed | ((entity: E) => Needed);
  };
  readonly events: { readonly created: EventType; readonly updated: EventType };
  /** The data of the events. Default: the entity. */
  readonly audited?: (entity: E) => unknown;
  /** Why the entity cannot be like this. `before`: undefined if it is created again. */
  readonly problem?: (
    context: CommandContext,
    entity: E,
    before: E | undefined,
  ) => ResultOrSteps<Rejection | undefined>;
  /** Removes an entity that the commit created, as the ordinary edit does, unless others depend on it. */
  readonly remove: (context: CommandContext, entity: E) => ResultOrSteps<Rejection | undefined>;
}

const NOWHERE: Place = {};

/** The rule for entities whose ordinary edits are known. */
export function undoOfEdits<C extends OwnKeyName>(edits: Edits<C, Collections[C]>): UndoRule<Collections[C]> {
  type E = Collections[C];
  const { collection, shape, place = () => NOWHERE, needs, events, audited = (entity) => entity, problem } = edits;
  const { derived, sets, finish } = edits;
  return {
    ...(derived && { derived }),
    ...(sets && { sets }),
    ...(finish && { finish }),
    check(context, { current, wanted }) {
      const entity = current ?? wanted;
      if (!entity) return undefined;
      return permissionProblem(context, neededFor(needs, current, wanted), place(entity).project ?? null);
    },
    *put(context, { current, wanted }) {
      const invalidity = shape && current && (yield* shapeProblem(shape, current, wanted));
      if (invalidity) return invalidity;
      const refusal = yield* resultOf(problem?.(context, wanted, current));
      if (refusal) return refusal;
      context.draft.put(collection, wanted);
      const data = { data: audited(wanted), ...(current && { preData: audited(current) }) };
      context.emit({ type: current ? events.updated : events.created, ...placeOf(place(wanted)), ...data });
      return true;
    },
    remove: (context, current: E) => edits.remove(context, current),
  };
}

function neededFor<C extends OwnKeyName, E extends Collections[C]>(
  { create, update, remove }: Edits<C, E>['needs'],
  current: E | undefined,
  wanted: E | undefined,
): Needed {
  if (!current) return typeof create === 'function' ? create(wanted as E) : create;
  if (!wanted) return typeof remove === 'function' ? remove(current) : remove;
  return typeof update === 'function' ? update(wanted, current) : update;
}

function placeOf({ project, environment }: Place) {
  return { ...(typeof project === 'string' && { project }), ...(environment !== undefined && { environment }) };
}

/** The fields of two versions together can be invalid, such as a list that is too long. An entity that is invalid already may stay so. */
function* shapeProblem(shape: TSchema, current: unknown, wanted: unknown): Steps<Rejection | undefined> {
  const problem = yield* validateInSteps(shape, wanted, 'the object without the change');
  if (!problem || (yield* validateInSteps(shape, current, 'the object'))) return undefined;
  return problem;
}

/** Removes an entity by the command of its ordinary edit. */
export function removalBy<E, Input>(
  command: Decidable<Input, unknown>,
  inputOf: (entity: E) => Input,
  inUse: (context: CommandContext, entity: E) => Rejection | undefined = () => undefined,
) {
  return function* (context: CommandContext, entity: E): Steps<Rejection | undefined> {
    const problem = inUse(context, entity);
    if (problem) return problem;
    const outcome = yield* decideInSteps(command, context, inputOf(entity));
    return outcome instanceof Rejection ? outcome : undefined;
  };
}
