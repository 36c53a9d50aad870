import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isoTime } from '../base/clock.ts';
import { Slicer } from '../base/yield-control.ts';
import { collectionNames } from '../state/collections.ts';
import type { AppliedChange, AppliedCommit, State } from '../state/state.ts';
import type { LogPosition } from '../stores/lineage.ts';
import { openPrivateFile, syncDirectory } from '../stores/local/private-files.ts';
import { temporaryPath } from '../stores/local/temporary-file.ts';
import { type SurplusHead, surplusFileName } from './surplus-file.ts';

/** Lines are written in blocks of about this many characters. */
const BLOCK_CHARS = 256 * 1024;

/** What a replica gave up: entries that it had applied, and that are not part of the history that counts. */
export interface Surplus {
  /** Where the state stood. */
  readonly position: LogPosition;
  /** The newest entry that both histories hold. */
  readonly commonSeq: number;
}

/**
 * Writes down what was given up, as lines of JSON: what was found, then each commit with what stood there before and after, or, when the commits
 * are not known any more, each entity in which the two states differ. Resolves with where. `after` is the state that counts.
 */
export async function saveSurplus(
  directory: string,
  { position, commonSeq }: Surplus,
  commits: Iterable<AppliedCommit> | null,
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
  for (const collection of collectionNames()) {
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
