import { open } from 'node:fs/promises';
import Type, { type Static } from 'typebox';
import { Check } from 'typebox/value';
import type { DivergentHead } from '../../engine/divergent-commits.ts';
import { Nullable } from '../../model/primitives.ts';
import { type CollectionName, type Entity, isCollectionName, keyFor } from '../../state/collections.ts';
import { ProgramError } from '../program/subcommand.ts';

const Seq = Type.Integer({ minimum: 1 });
/** Null if the entity did not exist. */
const EntityOrNull = Type.Unsafe<Entity | null>(Nullable(Type.Object({})));
const HeadSchema = Type.Object({
  kind: Type.Literal('surplus'),
  epoch: Type.String(),
  writeId: Type.String(),
  fromSeq: Seq,
  throughSeq: Seq,
  savedAt: Type.String(),
});
const ChangeSchema = Type.Object({
  collection: Type.Unsafe<CollectionName>(Type.String()),
  key: Type.String(),
  before: EntityOrNull,
  after: EntityOrNull,
});
const CommitSchema = Type.Object({
  seq: Seq,
  writeId: Type.String(),
  at: Type.String(),
  by: Type.Object({ id: Type.Integer(), name: Type.String() }),
  changes: Type.Array(ChangeSchema),
});

export type DivergentChange = Static<typeof ChangeSchema>;
export type DivergentCommit = Static<typeof CommitSchema>;

export interface DivergentFile {
  readonly head: DivergentHead;
  readonly commits: readonly DivergentCommit[];
  /** The differences between the states of the replica and of Redis. The file contains them instead of commits if the commits were not known. */
  readonly differences: readonly DivergentChange[];
}

/** Reads a file of divergent commits. @throws ProgramError if it is another file, is damaged (with the line number) or is incomplete */
export async function readDivergentFile(path: string): Promise<DivergentFile> {
  const commits: DivergentCommit[] = [];
  const differences: DivergentChange[] = [];
  const [first, ...lines] = await linesOf(path);
  if (!Check(HeadSchema, first)) throw new ProgramError(`${path} is not a file of divergent commits`);
  for (const [index, line] of lines.entries()) {
    if (Check(CommitSchema, line) && line.changes.every(hasMatchingKey)) commits.push(line);
    else if (Check(ChangeSchema, line) && hasMatchingKey(line)) differences.push(line);
    else throw new ProgramError(`${path} is damaged: line ${index + 2} is neither a commit nor a difference`);
  }
  const missing = first.throughSeq - first.fromSeq + 1 - commits.length;
  if (differences.length === 0 && missing !== 0) {
    throw new ProgramError(`${path} is damaged: ${missing} of its commits are missing`);
  }
  return { head: first, commits, differences };
}

/** The parsed JSON of each line; null for a line that is not valid JSON. */
async function linesOf(path: string): Promise<unknown[]> {
  try {
    const file = await open(path, 'r');
    const lines: unknown[] = [];
    for await (const line of file.readLines()) lines.push(parse(line));
    return lines;
  } catch (error) {
    throw new ProgramError(`cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** Whether the collection is known, and the entities of the change have its key. If not, the line was edited after Burgee wrote it. */
function hasMatchingKey({ collection, key, before, after }: DivergentChange): boolean {
  try {
    return (
      isCollectionName(collection) &&
      (before ?? after) !== null &&
      [before, after].every((entity) => !entity || keyFor(collection, entity, key) === key)
    );
  } catch {
    return false;
  }
}
