import { FACT_BYTES } from '../../state/event-facts.ts';
import { pageParts } from '../facts.ts';
import type { EventEntry } from '../store.ts';
import type { History } from './history.ts';
import type { Keys } from './keys.ts';
import { type Line, STALE } from './line.ts';
import { type Reply, script } from './session.ts';

/**
 * Facts of one key. A key is a string that grows at its end, which costs what is added; a place that was left out reads as zeros. The page of an id
 * is found by division, so the oldest ones can be dropped.
 */
export const PAGE_FACTS = 4_096;

/**
 * Reads or writes a part of a page, if the history is still this one. What belongs to a page that was dropped with its events is not written. KEYS meta,
 * page, trail. ARGV format, epoch, run, start, then end or the facts, then the page's number.
 */
const READ_PAGE = script(`
local m = redis.call('HMGET', KEYS[1], 'format', 'epoch', 'run')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] or m[3] ~= ARGV[3] then return {'stale'} end
return {'ok', redis.call('GETRANGE', KEYS[2], ARGV[4], ARGV[5])}
`);
const PUT_PAGE = script(`
local m = redis.call('HMGET', KEYS[1], 'format', 'epoch', 'run')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] or m[3] ~= ARGV[3] then return {'stale'} end
if tonumber(redis.call('HGET', KEYS[3], 'page') or '0') > tonumber(ARGV[6]) then return {'ok'} end
return {'ok', redis.call('SETRANGE', KEYS[2], ARGV[4], ARGV[5])}
`);

/** The facts of a batch as the append script takes them: the keys of the pages they go to, and where they go, a few runs instead of each. */
interface FactRuns {
  readonly keys: readonly string[];
  /** Number of the key, byte to begin at, facts; again and again. */
  readonly places: readonly (number | Uint8Array)[];
}

/** Number of the page that holds the event's facts. */
export function pageOf(eventId: number): number {
  return Math.floor(eventId / PAGE_FACTS);
}

/** Ids of events ascend. */
export function factRuns(keys: Keys, events: readonly EventEntry[]): FactRuns {
  const pages: number[] = [];
  const runs: { readonly start: number; readonly key: number; readonly facts: Uint8Array[] }[] = [];
  let nextId = -1;
  for (const { id, fact } of events) {
    if (!fact) continue;
    const page = pageOf(id);
    const isNewPage = page !== pages.at(-1);
    if (isNewPage) pages.push(page);
    if (isNewPage || id !== nextId) {
      runs.push({ key: pages.length, start: (id % PAGE_FACTS) * FACT_BYTES, facts: [] });
    }
    runs.at(-1)?.facts.push(fact);
    nextId = id + 1;
  }
  return {
    keys: pages.map((page) => keys.facts(page)),
    places: runs.flatMap(({ key, start, facts }) => [key, start, Buffer.concat(facts)]),
  };
}

export async function readFacts(history: History, keys: Keys, fromId: number, limit: number): Promise<Uint8Array> {
  const facts = Buffer.alloc(limit * FACT_BYTES);
  for (const { page, place, facts: part } of pageParts(fromId, facts, PAGE_FACTS)) {
    const range = [place * FACT_BYTES, place * FACT_BYTES + part.length - 1];
    const stored = await history.attempt('read the facts of events', (line) =>
      answer(line, READ_PAGE, keys, page, range),
    );
    part.set(stored as Buffer);
  }
  return facts;
}

export async function putFacts(history: History, keys: Keys, firstId: number, facts: Uint8Array): Promise<void> {
  for (const { page, place, facts: part } of pageParts(firstId, facts, PAGE_FACTS)) {
    const args = [place * FACT_BYTES, part];
    await history.attempt('store the facts of events', (line) => answer(line, PUT_PAGE, keys, page, args));
  }
}

async function answer(
  { session, guard }: Line,
  what: typeof READ_PAGE,
  keys: Keys,
  page: number,
  args: readonly (number | Uint8Array)[],
): Promise<Reply | typeof STALE> {
  const [status, content = null] = (await session.run(
    what,
    [keys.meta, keys.facts(page), keys.trail],
    [...guard, ...args, page],
  )) as Reply[];
  return String(status) === 'stale' ? STALE : content;
}
