import { DAY_MS } from './milliseconds.ts';

/** What all rows have in common. */
export interface RowsHead {
  /** The environments, each with its place in the states of a row. */
  readonly places: ReadonlyMap<string, number>;
  /** For each type, how long its flags are expected to be needed, in milliseconds. Missing: without an end. */
  readonly lifetimesMs: ReadonlyMap<string, number>;
}

/** A flag in the list: only what the list shows and filters by. */
export interface FlagRow {
  readonly head: RowsHead;
  readonly name: string;
  readonly project: string;
  readonly type: string;
  readonly description: string;
  readonly stale: boolean;
  readonly favorite: boolean;
  readonly createdMs: number;
  /** `type:value` */
  readonly tags: readonly string[];
  /** A character for each environment: a digit, which is odd if the flag is on there, or `-` if its project does not have the environment. */
  readonly states: string;
  /** Name, description and tags in lower case, for the search. */
  readonly text: string;
}

/** Whether the flag is on in the environment; undefined if its project does not have it. */
export function isOnIn({ head, states }: FlagRow, environment: string): boolean | undefined {
  const state = states[head.places.get(environment) ?? -1] ?? '-';
  return state === '-' ? undefined : Number(state) % 2 === 1;
}

/** The states of a row with one of them changed. */
export function statesWith({ head, states }: FlagRow, environment: string, isOn: boolean): string {
  const place = head.places.get(environment) ?? states.length;
  return `${states.slice(0, place)}${isOn ? 1 : 0}${states.slice(place + 1)}`;
}

/** Whether the flag has outlived the lifetime of its type. It depends on the time, so no answer states it. */
export const isPotentiallyStale = ({ head, type, stale, createdMs }: FlagRow): boolean =>
  !stale && createdMs < Date.now() - (head.lifetimesMs.get(type) ?? Number.POSITIVE_INFINITY);

/** SDKs report at least every few minutes: a flag that was asked for within two days is in use. */
export const IN_USE_MS = 2 * DAY_MS;
