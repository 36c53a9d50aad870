import { assert } from '../base/assert.ts';
import { pushAll } from '../base/lists/push-all.ts';
import type { Tag } from './feature.ts';

/** One record of the audit log (contract: Event). `id` increases by at least one from record to record. */
export interface AuditEvent {
  readonly id: number;
  readonly type: EventType;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly createdByUserId: number | null;
  readonly environment: string | null;
  readonly project: string | null;
  readonly featureName: string | null;
  /** The number of the commit that contains the event. Missing in events of older versions. */
  readonly revision?: number;
  /** Why the change was made, in the author's words. Missing if the author stated none. */
  readonly reason?: string;
  readonly data: unknown;
  readonly preData: unknown;
  readonly tags: readonly Tag[] | null;
  /** Client address of the request that caused the event. Missing if no request caused it, and in events of older versions. */
  readonly ip?: string;
}

/**
 * The label of an event, a phrase that describes the author's action, and why the change is not undone with its commit. Without a reason, an undo
 * of the commit includes it, if the past of its entity is recorded.
 */
type Words = readonly [label: string, action: string, neverUndone?: string];

/**
 * Types of events with their texts. In the phrase `{flag}` is the flag with its project; `{project}` the project; `{on}` the environment, if there is
 * one; `{in}` the project, if there is one; `{what}` the name of the changed object; `{tag}` and `{strategy}` belong to the flag.
 */
export type EventWords = Readonly<Record<string, Words>>;

/** Event types of the contract that Burgee never records. */
export const UNUSED_EVENTS = {
  'db-pool-update': ['Database pool changed', 'changed the pool of database connections'],
} as const satisfies EventWords;

type Unused = typeof UNUSED_EVENTS;

/** Every type of event. `features/modules.ts` adds the types that the features record, by declaration merging. */
export interface EventTable extends Unused {}

export type EventType = keyof EventTable & string;

let table: EventTable | undefined;
const types: EventType[] = [];

/** The names of all event types, sorted. Schemas refer to this list before `defineEvents` fills it. */
export const EVENT_TYPES: readonly EventType[] = types;

/** Called once, by the list of features. */
export function defineEvents(events: EventTable): void {
  assert(!table, 'the types of events are defined twice');
  table = events;
  pushAll(types, Object.keys(events).sort() as EventType[]);
}

/** Every type of event, with its texts. */
export function allEvents(): Readonly<Record<EventType, Words>> {
  assert(table, 'no types of events are defined: import features/modules.ts first');
  return table;
}
