import type { HashedBytes } from '../../evaluation/hashing.ts';

/**
 * Messages between the main thread and a worker. Flag definitions are sent as the same bytes that SDKs of the scope get, in shared memory, chunk by
 * chunk: a worker compiles a chunk once for all tasks, and after a change of one flag it compiles only the chunk with that flag.
 */
export interface BulkChunk {
  /** Unique in this process; equal ids are equal bytes. */
  readonly id: number;
  /** JSON fragments with commas between them. */
  readonly bytes: SharedArrayBuffer;
}

/** What a worker gets when it starts. */
export interface WorkerOptions {
  /** The bytes of texts that evaluation hashes. */
  readonly hashedBytes: HashedBytes;
}

/** The part of a scope that a request needs, at one revision. Immutable. */
export interface BulkScope {
  /** Environment, projects and history in full, and the selected chunks if these are not all: equal keys with equal revisions mean equal flags. */
  readonly key: string;
  readonly environment: string;
  readonly revision: number;
  readonly chunks: readonly BulkChunk[];
  /** One per segment in use. */
  readonly segments: readonly BulkChunk[];
}

export interface BulkTask {
  readonly scope: BulkScope;
  /** Contexts as JSON, one for each line. */
  readonly lines: Uint8Array;
  /** Number of the first line, from 1. */
  readonly firstLine: number;
  /** Number of flags of the first line that were answered already, including the start of the line; usually 0. */
  readonly flagsDone: number;
  /** Only these flags; null for all. */
  readonly features: readonly string[] | null;
  readonly namePrefix: string | null;
  /** Time when the request arrived: all lines of a request are evaluated for the same time. */
  readonly nowMs: number;
  /** Seed for random values (stickiness `random`, missing session ids). */
  readonly seed: number;
  /**
   * Shared by all tasks of a request. First: 1 if the client no longer waits for the answer. Second: number of lines so far that are not contexts.
   */
  readonly shared: Int32Array;
}

/** The part of a task that is left for another task. */
type BulkRest = Pick<BulkTask, 'lines' | 'firstLine' | 'flagsDone' | 'seed'>;

export interface BulkResult {
  /** Answer lines as UTF-8, one for each context line, in order. If there is a rest, the last line may be incomplete. */
  readonly answer: Uint8Array;
  /** Null if everything is answered, or if the client no longer waits. */
  readonly rest: BulkRest | null;
}

/**
 * A task ends when its answers reach this size; the last toggle may exceed it. A toggle contains a payload of its flag, so the size of an answer is
 * bounded neither by the number of lines nor by the number of evaluations. Even one line may need several tasks.
 */
export const ANSWER_BYTES = 4_000_000;

/**
 * Maximum number of lines in a request that are not contexts. Each of them is answered with an error many times its length, so the request ends after
 * this number: the last line of the answer states it.
 */
export const BAD_LINES_MAX = 1_000;
