import { ByteBuffer } from '../../base/byte-buffer.ts';
import { evaluationCost } from '../../evaluation/evaluate.ts';
import { CONTEXT_VALUE_LENGTH_MAX } from '../../evaluation/sdk-context.ts';
import { longestToggle } from '../../evaluation/toggle-json.ts';
import { answerLine, type FlagSelection, lineAt, NO_CONTEXT, selectFlags } from './evaluate-lines.ts';
import { LINE_LENGTH_MAX_BYTES, type LineBatch, type LongLine, lineBatches } from './line-batches.ts';
import type { BulkPool } from './pool.ts';
import { BAD_LINES_MAX, type BulkScope, type BulkTask } from './protocol.ts';

export interface BulkRequest {
  readonly body: AsyncIterable<Uint8Array>;
  readonly scope: BulkScope;
  /** The flags of the scope, compiled on the main thread, for requests that are too small for a worker; null if they are not available. */
  readonly selection: FlagSelection | null;
  /** Number of requested flags. */
  readonly flagCount: number;
  readonly features: readonly string[] | null;
  readonly namePrefix: string | null;
  readonly nowMs: number;
  readonly random: () => number;
  /** The client to whose quota of the threads the tasks count. */
  readonly holder: string;
  /** Aborted when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** Maximum number of evaluations in a task: they take about 20 ms of a worker, so that requests alternate and a cancelled request stops soon. */
const TASK_EVALUATIONS = 50_000;
const TASK_LINES_MAX = 1024;
/**
 * Minimum number of lines in a task, for any number of flags. If the scope is large, each task costs a millisecond in addition to its evaluations,
 * and this would be most of the cost of lines that are not contexts.
 */
const TASK_LINES_MIN = 8;
/** Maximum number of flags in a request that is answered on the main thread. */
const INLINE_FLAGS_MAX = 4_000;
/**
 * Maximum work of a request that is answered on the main thread, in units of `evaluationCost`: it takes a millisecond or two. This also
 * limits the answer to far less than `ANSWER_BYTES`, at which a task ends.
 */
const INLINE_WORK_MAX = 100_000;
/** Work in addition to the evaluation, in the same units: for reading a character of a line, and for writing the answer for one flag. */
const WORK_PER_CHAR = 0.5;
const WORK_PER_FLAG = 5;
/** Work for each character of the longest answer for a flag: a character has up to six bytes, which are copied twice. */
const WORK_PER_ANSWER_CHAR = 0.3;

/** Whether a request for this number of flags can be small enough to be answered on the main thread. */
export function mayBeInline(flagCount: number): boolean {
  return flagCount <= INLINE_FLAGS_MAX;
}

/**
 * Answers many contexts, in the order of their lines, all from one revision. Reads more of the body only while fewer than two tasks for each thread
 * are in progress: a request keeps only a limited part of its body and of its answer in memory, however long both are.
 */
export async function* evaluateBulk(request: BulkRequest, pool: BulkPool): AsyncGenerator<Uint8Array> {
  const linesPerTask = Math.max(
    TASK_LINES_MIN,
    Math.min(TASK_LINES_MAX, Math.floor(TASK_EVALUATIONS / Math.max(1, request.flagCount))),
  );
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const cancel = () => Atomics.store(shared, 0, 1);
  request.signal.addEventListener('abort', cancel, { once: true });
  const pendingAnswers: Promise<AnswerPart>[] = [];
  try {
    for await (const batch of lineBatches(request.body, linesPerTask)) {
      if (request.signal.aborted) return;
      pendingAnswers.push(
        'longLine' in batch ? longLineAnswer(batch, shared) : answerBatch(batch, request, pool, shared),
      );
      // A failure is handled later, when the answer is awaited. Until then it must not count as an unhandled rejection.
      pendingAnswers.at(-1)?.catch(() => {});
      if (pendingAnswers.length >= pool.tasksPerRequest && !(yield* yieldOldestAnswer(pendingAnswers, shared))) return;
    }
    while (pendingAnswers.length > 0 && (yield* yieldOldestAnswer(pendingAnswers, shared)));
  } finally {
    cancel();
    request.signal.removeEventListener('abort', cancel);
  }
}

/** The answer to a batch, or the first part of it. */
interface AnswerPart {
  readonly bytes: Uint8Array;
  /** Computes the next part of the answer; null if this is the last part. */
  readonly rest: (() => Promise<AnswerPart>) | null;
}

/**
 * Yields the oldest answer. Each further part of it is computed only after the reader has received the previous part. Returns false if no answer may
 * follow: the request has too many lines that are not contexts, and the task may have stopped early.
 */
async function* yieldOldestAnswer(
  pendingAnswers: Promise<AnswerPart>[],
  shared: Int32Array,
): AsyncGenerator<Uint8Array, boolean> {
  let part = await (pendingAnswers.shift() as Promise<AnswerPart>);
  yield part.bytes;
  while (part.rest !== null) {
    part = await part.rest();
    yield part.bytes;
  }
  if (!hasTooManyBadLines(shared)) return true;
  yield TOO_MANY_BAD_LINES;
  return false;
}

async function answerBatch(
  batch: LineBatch,
  request: BulkRequest,
  pool: BulkPool,
  shared: Int32Array,
): Promise<AnswerPart> {
  // The last batch of a body can be empty.
  if (batch.lineCount === 0) return lastPart(new Uint8Array(0));
  const isWholeBody = batch.isLast && batch.firstLine === 1;
  const inline = isWholeBody ? inlineSelection(batch, request) : null;
  if (inline) return lastPart(answerInline(batch, inline, request, shared));
  const task: BulkTask = {
    scope: request.scope,
    lines: batch.bytes,
    firstLine: batch.firstLine,
    flagsDone: 0,
    features: request.features,
    namePrefix: request.namePrefix,
    nowMs: request.nowMs,
    seed: Math.floor(request.random() * 2 ** 32),
    shared,
  };
  return runTask(task, request.holder, pool);
}

async function runTask(task: BulkTask, holder: string, pool: BulkPool): Promise<AnswerPart> {
  const { answer, rest } = await pool.run(task, holder);
  return { bytes: answer, rest: rest && (() => runTask({ ...task, ...rest }, holder, pool)) };
}

function lastPart(bytes: Uint8Array): AnswerPart {
  return { bytes, rest: null };
}

/** The requested flags if they can be evaluated on the main thread with little work, whatever the lines contain; otherwise null. */
function inlineSelection(batch: LineBatch, { selection, features, namePrefix }: BulkRequest): FlagSelection | null {
  if (selection === null) return null;
  const flags = selectFlags(selection.flags, features, namePrefix);
  const longestValue = Math.min(CONTEXT_VALUE_LENGTH_MAX, batch.bytes.byteLength);
  let work = batch.bytes.byteLength * WORK_PER_CHAR;
  for (const flag of flags) {
    const writingWork = WORK_PER_FLAG + longestToggle(flag) * WORK_PER_ANSWER_CHAR;
    work += batch.lineCount * (evaluationCost(flag, longestValue, selection.find) + writingWork);
    if (work > INLINE_WORK_MAX) return null;
  }
  return { flags, find: selection.find };
}

function answerInline(
  batch: LineBatch,
  selected: FlagSelection,
  { scope, nowMs, random }: Pick<BulkRequest, 'scope' | 'nowMs' | 'random'>,
  shared: Int32Array,
): Uint8Array {
  const options = { environment: scope.environment, nowMs, random };
  const selection = () => selected;
  const out = new ByteBuffer();
  let start = 0;
  for (let index = 0; index < batch.lineCount && !hasTooManyBadLines(shared); index++) {
    const line = lineAt(batch.bytes, start);
    const result = answerLine(out, line, batch.firstLine + index, selection, options);
    if (result === NO_CONTEXT) Atomics.add(shared, 1, 1);
    start += line.length + 1;
  }
  return out.take();
}

async function longLineAnswer({ longLine }: LongLine, shared: Int32Array): Promise<AnswerPart> {
  Atomics.add(shared, 1, 1);
  const error = { name: 'ValidationError', message: `The line is longer than ${LINE_LENGTH_MAX_BYTES} bytes.` };
  return lastPart(Buffer.from(`${JSON.stringify({ line: longLine, error })}\n`));
}

function hasTooManyBadLines(shared: Int32Array): boolean {
  return Atomics.load(shared, 1) > BAD_LINES_MAX;
}

const TOO_MANY_BAD_LINES = Buffer.from(
  `${JSON.stringify({
    line: null,
    error: {
      name: 'ValidationError',
      message: `More than ${BAD_LINES_MAX} lines are not contexts; no more lines are read.`,
    },
  })}\n`,
);
