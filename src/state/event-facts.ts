import { createHash } from 'node:crypto';
import { assert } from '../base/assert.ts';
import { type AuditEvent, EVENT_TYPES } from '../model/event.ts';

/**
 * A fact is what an audit event is searched by, in 40 bytes: its type, project, environment, flag, author and time. It is stored beside the event, so
 * that an index over a million of them is read in one go instead of decoding every event.
 *
 * Names are kept as the first 64 bits of their SHA-256. So a fact needs no dictionary that replicas would have to agree on, and any of them can
 * be made again from its event. Two names with the same bits are searched as one; whoever shows what was found compares the events themselves.
 */
export const FACT_BYTES = 40;

/** Of 32 bits, little-endian. */
export const FACT_WORDS = FACT_BYTES / 4;

/** Where each part begins, in words. Names take two. */
export const FACT = {
  project: 0,
  environment: 2,
  feature: 4,
  userId: 6,
  author: 7,
  timeLow: 8,
  typeAndTimeHigh: 9,
} as const;

/** Types are numbered by their place in EVENT_TYPES, from 1 on. 0 is no fact at all. */
const TYPE_NUMBERS: ReadonlyMap<string, number> = new Map(EVENT_TYPES.map((type, index) => [type, index + 1]));
/** The number of a type in a fact; 0 of a type that this version does not know. */
export function typeNumber(type: string): number {
  return TYPE_NUMBERS.get(type) ?? 0;
}

/** There is no event of this id, and there will be none. */
const NO_EVENT = 0xffff;
/** An event that this version cannot read, or whose type it does not know. */
const UNREADABLE = 0xfffe;

/** No user. Users have ids of 32 bits. */
export const NO_USER = 0x8000_0000;

/** Names whose bits are remembered: nearly every event has those of the one before. */
const NAMES_MAX = 16_384;

type Bits = readonly [low: number, high: number];

const NO_NAME: Bits = [0, 0];

const remembered = new Map<string, Bits>();

/** The bits a name is searched by. */
export function bitsOf(name: string | null): Bits {
  if (name === null) return NO_NAME;
  let bits = remembered.get(name);
  if (!bits) {
    const digest = createHash('sha256').update(name).digest();
    bits = [digest.readUInt32LE(0), digest.readUInt32LE(4)];
    if (remembered.size >= NAMES_MAX) remembered.clear();
    remembered.set(name, bits);
  }
  return bits;
}

type Told = Pick<
  AuditEvent,
  'type' | 'project' | 'environment' | 'featureName' | 'createdBy' | 'createdByUserId' | 'createdAt'
>;

export function factOf(event: Told): Uint8Array {
  // Not a Buffer: so small a typed array lies on the heap, and costs nearly nothing.
  const fact = new Uint8Array(FACT_BYTES);
  putName(fact, FACT.project, event.project);
  putName(fact, FACT.environment, event.environment);
  putName(fact, FACT.feature, event.featureName);
  putWord(fact, FACT.userId, event.createdByUserId ?? NO_USER);
  putWord(fact, FACT.author, bitsOf(event.createdBy)[0]);
  const timeMs = timeOf(event.createdAt);
  putWord(fact, FACT.timeLow, (timeMs % 2 ** 32) >>> 0);
  const type = typeNumber(event.type) || UNREADABLE;
  putWord(fact, FACT.typeAndTimeHigh, (type << 16) | (Math.floor(timeMs / 2 ** 32) & 0xffff));
  return fact;
}

function putName(fact: Uint8Array, word: number, name: string | null): void {
  if (name === null) return;
  const bits = bitsOf(name);
  putWord(fact, word, bits[0]);
  putWord(fact, word + 1, bits[1]);
}

function putWord(fact: Uint8Array, word: number, bits: number): void {
  const at = 4 * word;
  fact[at] = bits;
  fact[at + 1] = bits >>> 8;
  fact[at + 2] = bits >>> 16;
  fact[at + 3] = bits >>> 24;
}

/** All events of a batch have one time. */
let lastTime = { text: '', ms: 0 };

function timeOf(text: string): number {
  if (text !== lastTime.text) lastTime = { text, ms: Math.max(0, Date.parse(text) || 0) };
  return lastTime.ms;
}

/** In the place of a fact whose event does not exist. */
export const ABSENT_FACT: Uint8Array = emptyFact(NO_EVENT);

/** In the place of a fact whose event this version cannot read, and so cannot show. Not to be stored: another version may read it. */
export const UNREADABLE_FACT: Uint8Array = emptyFact(UNREADABLE);

function emptyFact(type: number): Uint8Array {
  const fact = new Uint8Array(FACT_BYTES);
  fact[4 * FACT.typeAndTimeHigh + 2] = type;
  fact[4 * FACT.typeAndTimeHigh + 3] = type >>> 8;
  return fact;
}

/** Whether there is a fact at this place in a run of them. */
export function hasFact(facts: Uint8Array, place: number): boolean {
  const at = place * FACT_BYTES + 4 * FACT.typeAndTimeHigh + 2;
  return facts[at] !== 0 || facts[at + 1] !== 0;
}

/** What events of API tokens tell that reach all projects. */
export const ALL_PROJECTS = '*';

/** One value, or any of several; of none, nothing matches. */
export type AnyOf<T> = T | readonly T[];

/** What an event has to match; what is left out matches every event. */
export interface EventQuery {
  readonly types?: readonly string[] | undefined;
  readonly project?: AnyOf<string> | undefined;
  readonly environment?: AnyOf<string> | undefined;
  readonly feature?: AnyOf<string> | undefined;
  readonly createdBy?: string | undefined;
  readonly createdByUserId?: AnyOf<number> | undefined;
  readonly ids?: ReadonlySet<number> | undefined;
  /** Milliseconds since the epoch: from then on, and before then. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Projects whose events may be told, beside the events of no project and those of all (`*`); null for all. */
  readonly readable?: ReadonlySet<string> | null | undefined;
}

/** Facts of one page in memory, by columns: the fact at `place` has its word `word` at `word * size + place`. */
export interface FactPage {
  readonly words: Uint32Array;
  readonly size: number;
}

export function listOf<T>(values: AnyOf<T>): readonly T[] {
  return Array.isArray(values) ? values : [values as T];
}

/** Whether an event matches: names themselves are compared, not their bits. */
export function eventMatches(event: Told & Pick<AuditEvent, 'id'>, query: EventQuery): boolean {
  const { types, project, environment, feature, createdBy, createdByUserId, ids, fromMs, toMs, readable } = query;
  const timeMs = Date.parse(event.createdAt);
  return (
    (types === undefined || types.includes(event.type)) &&
    isAnyOf(project, event.project) &&
    isAnyOf(environment, event.environment) &&
    isAnyOf(feature, event.featureName) &&
    (createdBy === undefined || event.createdBy === createdBy) &&
    isAnyOf(createdByUserId, event.createdByUserId) &&
    (ids === undefined || ids.has(event.id)) &&
    (fromMs === undefined || timeMs >= fromMs) &&
    (toMs === undefined || timeMs < toMs) &&
    (!readable || event.project === null || event.project === ALL_PROJECTS || readable.has(event.project))
  );
}

function isAnyOf<T>(wanted: AnyOf<T> | undefined, value: T | null): boolean {
  return wanted === undefined || (value !== null && listOf(wanted).includes(value));
}

/** Puts a run of stored facts into a page, from `place` on. */
export function putFacts({ words, size }: FactPage, place: number, facts: Uint8Array): void {
  assert(facts.length % FACT_BYTES === 0, 'facts are of equal size');
  const view = new DataView(facts.buffer, facts.byteOffset, facts.byteLength);
  const count = facts.length / FACT_BYTES;
  for (let word = 0; word < FACT_WORDS; word++) {
    const column = word * size + place;
    for (let index = 0; index < count; index++) {
      words[column + index] = view.getUint32(index * FACT_BYTES + 4 * word, true);
    }
  }
}

/** Milliseconds since the epoch, of the fact at the place. */
export function factTimeMs({ words, size }: FactPage, place: number): number {
  const high = (words[FACT.typeAndTimeHigh * size + place] as number) & 0xffff;
  return high * 2 ** 32 + (words[FACT.timeLow * size + place] as number);
}

/** Whether there is an event at the place, which this version can read. */
export function isEventFact({ words, size }: FactPage, place: number): boolean {
  const type = (words[FACT.typeAndTimeHigh * size + place] as number) >>> 16;
  return type !== 0 && type < UNREADABLE;
}
