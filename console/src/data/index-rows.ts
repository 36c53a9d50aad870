import type { components } from '../api/schema.d.ts';
import type { FlagRow, RowsHead } from '../domain/flag-row.ts';
import { DAY_MS } from '../domain/milliseconds.ts';
import type { Steps } from '../domain/steps.ts';
import { mergedAll, withChanges } from './sorted-rows.ts';

/** An answer of `GET /api/admin/flag-index`: docs/extend/flag-index.md. */
export type IndexAnswer = components['schemas']['flagIndex'];
export type IndexBlock = IndexAnswer['blocks'][number];

const ARCHIVED = 2;
const STALE = 1;
/** Rows that are read in one step. There may be 100,000 flags with 100 environments. */
const ROWS_A_STEP = 128;

export interface IndexedFlag {
  readonly name: string;
  readonly project: string;
  readonly stale: boolean;
  /** Its place in the columns of the block. */
  readonly at: number;
}

/** Lists of this length are sorted in one step. */
const SORTED_A_STEP = 1000;

/** What is read of an answer here; the columns of a list are read by its `rowsOf`. */
interface Rows {
  readonly isWhole: boolean;
  readonly removed: readonly string[];
  readonly blocks: readonly Pick<IndexBlock, 'names' | 'shared' | 'projects' | 'marks'>[];
}

/** The rows by the names of their flags. Null: the flag is archived, or the person no longer sees it. */
function* changesOf<Row>(
  { removed, blocks }: Rows,
  rowsOf: (block: number) => (flag: IndexedFlag) => Row,
): Steps<Map<string, Row | null>> {
  const changes = new Map<string, Row | null>(removed.map((name) => [name, null]));
  for (const [index, { names, shared, projects, marks }] of blocks.entries()) {
    const rowOf = rowsOf(index);
    const rests = names.split(' ');
    let [at, name] = [0, ''];
    for (const [id, count] of projects) {
      const project = String(id);
      for (const end = at + Number(count); at < end; at++) {
        if (at % ROWS_A_STEP === 0) yield;
        // Joined, not added: browsers keep a sum as its parts, and compare such texts slowly.
        name = [name.slice(0, shared.charCodeAt(at) - 48), rests[at]].join('');
        const mark = Number(marks[at]);
        changes.set(name, mark & ARCHIVED ? null : rowOf({ name, project, stale: (mark & STALE) !== 0, at }));
      }
    }
  }
  return changes;
}

/**
 * The rows after the answer, sorted by name, without archived flags. Only what is new is sorted; the other rows are the same objects. `before` is called
 * in the last step.
 */
export function* rowsAfter<Row extends { readonly name: string }>(
  before: () => readonly Row[],
  answer: Rows,
  rowsOf: (block: number) => (flag: IndexedFlag) => Row,
): Steps<readonly Row[]> {
  const changes = yield* changesOf(answer, rowsOf);
  if (!answer.isWhole) return withChanges(before(), changes);
  const rows = [...changes.values()].filter((row) => row !== null);
  const lists: Row[][] = [];
  for (let at = 0; at < rows.length; at += SORTED_A_STEP) lists.push(rows.slice(at, at + SORTED_A_STEP));
  return yield* mergedAll(lists);
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export function headOf({ environments, types, lifetimes = [] }: IndexAnswer): RowsHead {
  const days = types.map((type, at) => [type, lifetimes[at] ?? Number.POSITIVE_INFINITY] as const);
  return {
    places: new Map(environments.map((name, place) => [name, place])),
    lifetimesMs: new Map(days.map(([type, count]) => [type, count * DAY_MS])),
  };
}

/** The rows of the flags of a block, of an answer with details. Equal states are one text. */
export function rowsOf(
  head: RowsHead,
  { types: names, blocks }: IndexAnswer,
  favorites: ReadonlySet<string>,
): (block: number) => (flag: IndexedFlag) => FlagRow {
  const known = new Map<string, string>();
  return (index) => {
    const {
      types,
      states,
      createdFrom = 0,
      created = [],
      tagSets = [],
      tags: sets = [],
      descriptions = [],
    } = blocks[index] as IndexBlock;
    return ({ name, project, stale, at }) => {
      const own = states.map((column) => column[at]).join('');
      const shared = known.get(own) ?? own;
      if (shared === own) known.set(own, own);
      const tags = tagSets[sets[at] ?? -1] ?? [];
      const description = descriptions[at] ?? '';
      let sinceMs = 0;
      for (const digits of created) sinceMs = sinceMs * 64 + DIGITS.indexOf(digits[at] ?? '');
      return {
        head,
        name,
        project,
        type: names[Number(types[at])] ?? 'release',
        description,
        stale,
        favorite: favorites.has(name),
        createdMs: createdFrom + sinceMs,
        tags,
        states: shared,
        text: `${name} ${description} ${tags.join(' ')}`.toLowerCase(),
      };
    };
  };
}
