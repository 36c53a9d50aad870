import type { HashEncoding } from '../../evaluation/hashing.ts';

/**
 * Flag definitions or a segment, as the main thread sends them to a worker: the same bytes that SDKs of the scope get, in shared memory. A worker
 * compiles a chunk once for all tasks, and after a change of one flag it compiles only the chunk with that flag.
 */
export interface BulkChunk {
  /** Unique in this process: chunks with equal ids have equal bytes. */
  readonly id: number;
  /** JSON fragments with commas between them. */
  readonly bytes: SharedArrayBuffer;
}

/** The data that a worker gets when it starts. */
export interface WorkerOptions {
  /** How a text becomes the bytes to hash in evaluation. */
  readonly hashEncoding: HashEncoding;
}

/** The part of a scope that a request needs, at one revision. Immutable. */
export interface BulkScope {
  /**
   * Scopes with equal keys and equal revisions have equal flags. The key contains the environment, the projects and the history in full, and the ids
   * of the chunks if the scope is incomplete. For a few flags it contains only the ids.
   */
  readonly key: string;
  readonly environment: string;
  readonly revision: number;
  readonly chunks: readonly BulkChunk[];
  /** One chunk for each segment that a flag uses. */
  readonly segments: readonly BulkChunk[];
}

export interface BulkTask {
  readonly scope: BulkScope;
  /** Contexts as JSON, one for each line. */
  readonly lines: Uint8Array;
  /** Number of the first line, from 1. */
  readonly firstLine: number;
  /** Number of flags of the first line that earlier tasks have answered; usually 0. If it is not 0, the start of the answer line was also written. */
  readonly flagsDone: number;
  /** Names of the requested flags; null for all flags. */
  readonly features: readonly string[] | null;
  readonly namePrefix: string | null;
  /** Time when the request arrived, in milliseconds. All lines of a request are evaluated for this time. */
  readonly nowMs: number;
  /** Seed for random values (stickiness `random`, missing session ids). */
  readonly seed: number;
  /**
   * Two numbers that all tasks of a request share. The first is 1 if the client no longer waits for the answer, otherwise 0. The second is the number
   * of lines so far that are not contexts.
   */
  readonly shared: Int32Array;
}

/** The part of a task that another task must answer, because the answer of this task has become too long. */
type BulkRest = Pick<BulkTask, 'lines' | 'firstLine' | 'flagsDone' | 'seed'>;

export interface BulkResult {
  /** Answer lines as UTF-8, one for each context line, in order. If there is a rest, the last line may be incomplete. */
  readonly answer: Uint8Array;
  /**
   * The part that another task has to answer. Null if everything is answered, or if the task stopped: the client no longer waits, or too many lines
   * are not contexts.
   */
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
