import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isoTime } from '../base/clock.ts';
import { Slicer } from '../base/yield-control.ts';
import { COLLECTION_NAMES } from '../state/collections.ts';
import type { AppliedChange, AppliedCommit, State } from '../state/state.ts';
import type { LogPosition } from '../stores/lineage.ts';
import { syncDirectory } from '../stores/local/framed-file.ts';
import { openPrivateFile } from '../stores/local/private-files.ts';
import { temporaryPath } from '../stores/local/temporary-file.ts';
import type { Replica } from './replica.ts';
import { type SurplusHead, surplusFileName } from './surplus-file.ts';

/** Commits that are kept to be written down, should they be given up, and what they hold. What was given up beyond is told as a difference. */
const COMMITS_MAX = 1_000;
export const RECENT_BYTES_MAX = 4_000_000;
/** What a value of an entity is taken to hold beside its characters. */
const VALUE_BYTES = 32;
/** Lines are written in blocks of about this many characters. */
const BLOCK_CHARS = 256 * 1024;

/** What a replica gave up: entries that it had applied, and that are not part of the history that counts. */
export interface Surplus {
  /** Where the state stood. */
  readonly position: LogPosition;
  /** The newest entry that both histories hold. */
  readonly commonSeq: number;
}

/** The newest commits of the live state, as they happened: at most a thousand, and about four megabytes. */
export class RecentCommits {
  readonly #kept: { readonly applied: AppliedCommit; readonly bytes: number }[] = [];
  #bytes = 0;

  constructor(replica: Replica) {
    replica.onApplied((applied) => this.#keep(applied));
    replica.onReplaced(() => {
      this.#kept.length = 0;
      this.#bytes = 0;
    });
  }

  /** The commits after `seq`, oldest first; null when some of them are not here any more. */
  after(seq: number): readonly AppliedCommit[] | null {
    const found = this.#kept.map(({ applied }) => applied).filter(({ commit }) => commit.seq > seq);
    return found[0]?.commit.seq === seq + 1 ? found : null;
  }

  #keep(applied: AppliedCommit): void {
    const bytes = bytesOf(applied);
    this.#kept.push({ applied, bytes });
    this.#bytes += bytes;
    while (this.#bytes > RECENT_BYTES_MAX || this.#kept.length > COMMITS_MAX) {
      this.#bytes -= this.#kept.shift()?.bytes ?? 0;
    }
  }
}

/**
 * What a commit keeps from being forgotten: what stood there before. What came after stands in the state, or was there before a later commit,
 * which is kept for as long. One that is applied in slices is too large to be kept, and to be looked at in one turn.
 */
function bytesOf({ changes, bulk }: AppliedCommit): number {
  if (bulk) return RECENT_BYTES_MAX + 1;
  let bytes = VALUE_BYTES;
  for (const { before } of changes) {
    bytes += weightOf(before);
    if (bytes > RECENT_BYTES_MAX) break;
  }
  return bytes;
}

/** About as many bytes as a value holds; of more than may be kept, some number above that. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  let bytes = VALUE_BYTES;
  // Every commit of every replica comes by here: lists are walked by number, which is several times faster than by name.
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && bytes <= RECENT_BYTES_MAX; index++) bytes += weightOf(value[index]);
    return bytes;
  }
  for (const name in value) {
    bytes += weightOf((value as Record<string, unknown>)[name]);
    if (bytes > RECENT_BYTES_MAX) break;
  }
  return bytes;
}

/**
 * Writes down what was given up, as lines of JSON: what was found, then each commit with what stood there before and after, or, when the commits
 * are not known any more, each entity in which the two states differ. Resolves with where. `after` is the state that counts.
 */
export async function saveSurplus(
  directory: string,
  { position, commonSeq }: Surplus,
  commits: readonly AppliedCommit[] | null,
  states: { readonly before: State; readonly after: State },
  clock: Clock,
): Promise<string> {
  const path = join(directory, surplusFileName(position.epoch, position.seq));
  const temporary = temporaryPath(path);
  try {
    await writeLines(temporary, linesOf());
    await rename(temporary, path);
    await syncDirectory(directory);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return path;

  function* linesOf(): Generator<object, void, void> {
    const { epoch, writeId, seq: throughSeq } = position;
    const head: SurplusHead = {
      ...{ kind: 'surplus', epoch, writeId, fromSeq: commonSeq + 1, throughSeq },
      savedAt: isoTime(clock.nowMs()),
    };
    yield head;
    if (commits) for (const applied of commits) yield commitLine(applied);
    else yield* differences(states.before, states.after);
  }
}

async function writeLines(path: string, lines: Iterable<object>): Promise<void> {
  const file = await openPrivateFile(path);
  const slicer = new Slicer();
  try {
    let block = '';
    for (const line of lines) {
      block += `${JSON.stringify(line)}\n`;
      if (block.length >= BLOCK_CHARS) {
        await file.writeFile(block);
        block = '';
      }
      if (slicer.spent) await slicer.pause();
    }
    await file.writeFile(block);
    await file.sync();
  } finally {
    await file.close();
  }
}

function commitLine({ commit, changes }: AppliedCommit): object {
  const { seq, writeId, at, by } = commit;
  return { kind: 'commit', seq, writeId, at, by, changes: changes.map(changeLine) };
}

function changeLine({ collection, key, before, after }: AppliedChange): object {
  return { collection, key, before: before ?? null, after: after ?? null };
}

/** `before`: what the state that counts has; `after`: what the one that was given up had. As if its changes were one commit. */
function* differences(given: State, kept: State): Generator<object, void, void> {
  for (const collection of COLLECTION_NAMES) {
    for (const [key, after] of given.entries(collection)) {
      const before = kept.get(collection, key) ?? null;
      if (JSON.stringify(before) === JSON.stringify(after)) continue;
      yield { kind: 'difference', collection, key, before, after };
    }
    for (const [key, before] of kept.entries(collection)) {
      if (!given.get(collection, key)) yield { kind: 'difference', collection, key, before, after: null };
    }
  }
}
