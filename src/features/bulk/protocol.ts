import type { HashedBytes } from '../../evaluation/hashing.ts';

/**
 * What travels between the main thread and a worker. Definitions go as the very bytes that SDKs of the scope get, in shared memory, chunk
 * by chunk: a worker compiles a chunk once, however many tasks name it, and after a change of one flag only the chunk that holds it.
 */
export interface BulkChunk {
  /** Unique in this process; equal ids are equal bytes. */
  readonly id: number;
  /** JSON fragments with commas between them. */
  readonly bytes: SharedArrayBuffer;
}

/** What a worker knows from its start. */
export interface WorkerOptions {
  /** Those that evaluation hashes of texts. */
  readonly hashedBytes: HashedBytes;
}

/** What of a scope a request is evaluated with, as of one revision. Immutable. */
export interface BulkScope {
  /** Environment, projects and history, whole, and which chunks where they are not all: equal keys of one revision are equal flags. */
  readonly key: string;
  readonly environment: string;
  readonly revision: number;
  readonly chunks: readonly BulkChunk[];
  /** One per segment in use. */
  readonly segments: readonly BulkChunk[];
}

export interface BulkTask {
  readonly scope: BulkScope;
  /** Contexts as JSON, one a line. */
  readonly lines: Uint8Array;
  /** Number of the first line, from 1. */
  readonly firstLine: number;
  /** Flags of the first line that were answered already, with the line's beginning; usually none. */
  readonly flagsDone: number;
  /** Only these flags; null for all. */
  readonly features: readonly string[] | null;
  readonly namePrefix: string | null;
  /** The service's clock when the request came: all lines of a request see one time. */
  readonly nowMs: number;
  /** Seeds what is random (stickiness `random`, missing session ids). */
  readonly seed: number;
  /** Shared by all tasks of a request. First: 1 when nobody waits for the answer any more. Second: lines so far that are no contexts. */
  readonly shared: Int32Array;
}

/** What a task has left to another one. */
type BulkRest = Pick<BulkTask, 'lines' | 'firstLine' | 'flagsDone' | 'seed'>;

export interface BulkResult {
  /** Answer lines as UTF-8, one for each context line, in order; where there is a rest, the last one may lack its end. */
  readonly answer: Uint8Array;
  /** Null: everything is answered, or nobody waits for more. */
  readonly rest: BulkRest | null;
}

/**
 * Bytes of answers that end a task; with the toggle that went beyond. A toggle carries a payload of its flag, so neither lines nor evaluations bound
 * what an answer takes, and not even one line does: it is told in as many tasks as it needs.
 */
export const ANSWER_BYTES = 4_000_000;

/**
 * Lines of one request that may be no contexts. Each is answered with an error many times its length, so after these the request ends: the
 * last line says so.
 */
export const BAD_LINES_MAX = 1_000;
