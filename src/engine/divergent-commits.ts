import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICE } from '../base/asking/asker.ts';
import { type Clock, isoTime } from '../base/clock.ts';
import { Slicer } from '../base/yield-control.ts';
import { collectionNames } from '../state/collections.ts';
import type { AppliedChange, AppliedCommit, State } from '../state/state.ts';
import type { LogPosition } from '../stores/lineage.ts';
import { replaceFile } from '../stores/local/temporary-file.ts';

/** Lines are written in blocks of about this many characters. */
const BLOCK_CHARS = 256 * 1024;

/** The commits that a replica applied and that are not part of the history of Redis. */
export interface Divergence {
  /** The position of the replica's state. */
  readonly position: LogPosition;
  /** The number of the newest commit that both histories contain. */
  readonly commonSeq: number;
}

/** The first line of a file. `kind` has the word of the first version, so every version can read every file. */
export interface DivergentHead {
  readonly kind: 'surplus';
  readonly epoch: string;
  readonly writeId: string;
  readonly fromSeq: number;
  readonly throughSeq: number;
  readonly savedAt: string;
}

/** The names of the files with divergent commits in the data directory. In earlier versions they begin with `surplus-`. */
export async function divergentFilesIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => /^(divergent|surplus)-.+\.ndjson$/.test(name));
}

/**
 * Writes the divergent commits to a file of JSON lines. The first line is a head. One line for each commit follows, with the changed entities before
 * and after the commit. If the commits are not known any more, there is one line for each entity in which the two states differ. Resolves with the
 * path of the file. `states.before` is the state with the divergent commits, `states.after` the state of the valid history.
 */
export async function saveDivergentCommits(
  directory: string,
  { position, commonSeq }: Divergence,
  commits: Iterable<AppliedCommit> | null,
  states: { readonly before: State; readonly after: State },
  clock: Clock,
): Promise<string> {
  const { epoch, writeId, seq: throughSeq } = position;
  const path = join(directory, `divergent-${epoch}-${throughSeq}.ndjson`);
  const savedAt = isoTime(clock.nowMs());
  const head: DivergentHead = { kind: 'surplus', epoch, writeId, fromSeq: commonSeq + 1, throughSeq, savedAt };
  await replaceFile(path, blocksOf(head, commits ? commitLines(commits) : differences(states.before, states.after)));
  return path;
}

async function* blocksOf(head: DivergentHead, lines: Iterable<object>): AsyncGenerator<string, void, void> {
  const slicer = Slicer.of(SERVICE);
  let block = `${JSON.stringify(head)}\n`;
  for (const line of lines) {
    block += `${JSON.stringify(line)}\n`;
    if (block.length >= BLOCK_CHARS) {
      yield block;
      block = '';
    }
    if (slicer.spent) await slicer.pause();
  }
  yield block;
}

function* commitLines(commits: Iterable<AppliedCommit>): Generator<object, void, void> {
  for (const { commit, changes } of commits) {
    const { seq, writeId, at, by } = commit;
    yield { kind: 'commit', seq, writeId, at, by, changes: changes.map(changeOf) };
  }
}

function changeOf({ collection, key, before, after }: AppliedChange): object {
  return { collection, key, before: before ?? null, after: after ?? null };
}

/**
 * The differences between the two states, written like the changes of one commit. `before` is the entity in the valid state, `after` the entity in
 * the divergent state; null when the state does not have the entity.
 */
function* differences(divergent: State, valid: State): Generator<object, void, void> {
  for (const collection of collectionNames()) {
    for (const [key, after] of divergent.entries(collection)) {
      const before = valid.get(collection, key) ?? null;
      if (JSON.stringify(before) === JSON.stringify(after)) continue;
      yield { kind: 'difference', collection, key, before, after };
    }
    for (const [key, before] of valid.entries(collection)) {
      if (!divergent.get(collection, key)) yield { kind: 'difference', collection, key, before, after: null };
    }
  }
}
