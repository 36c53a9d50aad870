import { open } from 'node:fs/promises';
import { type SurplusHead, toSurplusHead } from '../../engine/surplus-file.ts';
import type { Author } from '../../model/primitives.ts';
import { type CollectionName, type Entity, isCollectionName, keyFor } from '../../state/collections.ts';
import { TransferError } from './transfer-error.ts';

/** What stood there before, and after; null: nothing. */
export interface SurplusChange {
  readonly collection: CollectionName;
  readonly key: string;
  readonly before: Entity | null;
  readonly after: Entity | null;
}

export interface SurplusCommit {
  readonly seq: number;
  readonly writeId: string;
  readonly at: string;
  readonly by: Author;
  readonly changes: readonly SurplusChange[];
}

/** What a file of commits that were given up holds. */
export interface SurplusContent {
  readonly head: SurplusHead;
  /** In their order. */
  readonly commits: readonly SurplusCommit[];
  /** Instead of commits that were not known any more: where the two states differed. */
  readonly differences: readonly SurplusChange[];
}

/** Reads a file that a replica wrote. @throws TransferError, with the line, when it is not one, or not whole. */
export async function readSurplus(path: string): Promise<SurplusContent> {
  const commits: SurplusCommit[] = [];
  const differences: SurplusChange[] = [];
  let head: SurplusHead | null = null;
  let number = 0;
  for await (const line of linesOf(path)) {
    number += 1;
    if (!head) {
      head = toSurplusHead(line);
      if (!head) throw new TransferError(`${path} is not a file of commits that were given up`);
      continue;
    }
    const read = parse(line);
    if (read?.kind === 'commit' && isCommit(read)) commits.push(read);
    else if (read?.kind === 'difference' && isChange(read)) differences.push(read);
    else throw new TransferError(`${path} is damaged: line ${number} is neither a commit nor a difference`);
  }
  if (!head) throw new TransferError(`${path} is empty`);
  const missing = head.throughSeq - head.fromSeq + 1 - commits.length;
  if (differences.length === 0 && missing !== 0) {
    throw new TransferError(`${path} is damaged: ${missing} of its commits are missing`);
  }
  return { head, commits, differences };
}

async function* linesOf(path: string): AsyncGenerator<string, void, void> {
  try {
    const file = await open(path, 'r');
    yield* file.readLines();
  } catch (error) {
    throw new TransferError(`cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
}

// biome-ignore lint/suspicious/noExplicitAny: any JSON; every use is behind a check
function parse(line: string): any {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function isCommit({ seq, writeId, at, by, changes }: any): boolean {
  if (!Number.isSafeInteger(seq) || typeof writeId !== 'string' || typeof at !== 'string') return false;
  return (
    Number.isSafeInteger(by?.id) && typeof by?.name === 'string' && Array.isArray(changes) && changes.every(isChange)
  );
}

/** That the entities have what their collection asks of them, only Burgee knows: it wrote the line. Their keys tell of one that was edited. */
// biome-ignore lint/suspicious/noExplicitAny: as above
function isChange({ collection, key, before, after }: any): boolean {
  if (!isCollectionName(collection) || typeof key !== 'string' || (!before && !after)) return false;
  return [before, after].every((entity) => entity === null || keyOf(collection, entity, key) === key);
}

function keyOf(collection: CollectionName, entity: Entity, key: string): string | undefined {
  try {
    return keyFor(collection, entity, key);
  } catch {
    return undefined;
  }
}
