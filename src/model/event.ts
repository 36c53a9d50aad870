import { assert } from '../base/assert.ts';
import type { FeatureTag } from './feature.ts';

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
  readonly data: unknown;
  readonly preData: unknown;
  readonly tags: readonly FeatureTag[] | null;
  /** Where the request came from that caused it. Left out where none did, and in what versions before wrote. */
  readonly ip?: string;
}

/** What an event is called, and what its author did. */
type Words = readonly [label: string, did: string];

/**
 * Types of events with their words. In the second text `{flag}` is the flag, with the project it is in; `{project}` the project; `{on}` the
 * environment, if there is one; `{in}` the project, if there is one; `{what}` the name of what was changed; `{tag}` and `{strategy}` one of the flag.
 */
export type EventWords = Readonly<Record<string, Words>>;

/** Types of the contract that nothing here records. */
export const UNUSED_EVENTS = {
  'addon-config-created': ['Integration created', 'created the integration {what}'],
  'addon-config-updated': ['Integration changed', 'changed the integration {what}'],
  'addon-config-deleted': ['Integration deleted', 'deleted the integration {what}'],
  'db-pool-update': ['Database pool changed', 'changed the pool of database connections'],
  'signal-endpoint-created': ['Signal endpoint created', 'created the signal endpoint {what}'],
  'signal-endpoint-updated': ['Signal endpoint changed', 'changed the signal endpoint {what}'],
  'signal-endpoint-deleted': ['Signal endpoint deleted', 'deleted the signal endpoint {what}'],
  'signal-endpoint-token-created': ['Signal token created', 'created the signal token {what}'],
  'signal-endpoint-token-updated': ['Signal token changed', 'changed the signal token {what}'],
  'signal-endpoint-token-deleted': ['Signal token deleted', 'deleted the signal token {what}'],
  'actions-created': ['Actions created', 'created the actions {what}{in}'],
  'actions-updated': ['Actions changed', 'changed the actions {what}{in}'],
  'actions-deleted': ['Actions deleted', 'deleted the actions {what}{in}'],
} as const satisfies EventWords;

type Unused = typeof UNUSED_EVENTS;

/** Every type of event. A feature adds those that it records, in its `events.ts`, by declaration merging. */
export interface EventTable extends Unused {}

export type EventType = keyof EventTable & string;

let table: EventTable | undefined;

/** Called once, by the list of features. */
export function defineEvents(events: EventTable): void {
  assert(!table, 'the types of events are defined twice');
  table = events;
}

/** Every type of event, with its words. */
export function allEvents(): Readonly<Record<EventType, Words>> {
  assert(table, 'no types of events are defined: import features/modules.ts first');
  return table;
}

/** Their names, in order. */
export function eventTypes(): readonly EventType[] {
  return (Object.keys(allEvents()) as EventType[]).sort();
}
