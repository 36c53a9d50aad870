import type { ByteBuffer } from '../../base/byte-buffer.ts';
import { Mulberry32 } from '../../base/mulberry32.ts';
import { ANSWERED, answerLine, type FlagSelection, lineAt, NO_CONTEXT, selectFlags } from './evaluate-lines.ts';
import { ANSWER_BYTES, BAD_LINES_MAX, type BulkResult, type BulkTask } from './protocol.ts';

/**
 * Answers the context lines of one task, up to `ANSWER_BYTES`. `compiled` returns the flags of the scope of the task; it is called only if a line is
 * a context. Answers are collected in `out`.
 */
export function answerTask(task: BulkTask, compiled: () => FlagSelection, out: ByteBuffer): BulkResult {
  out.clear();
  let selected: FlagSelection | undefined;
  const selection = () => {
    selected ??= selectedFlags(task, compiled());
    return selected;
  };
  // The generator is seeded, so that the task that answers the rest continues with the same random values.
  const chance = new Mulberry32(task.seed);
  const options = { environment: task.scope.environment, nowMs: task.nowMs, random: () => chance.next() };
  let { firstLine: line, flagsDone } = task;
  for (let start = 0; start < task.lines.length && mayContinue(task.shared, flagsDone); ) {
    if (out.lengthBytes >= ANSWER_BYTES) {
      const lines = task.lines.slice(start);
      return { answer: out.take(), rest: { lines, firstLine: line, flagsDone, seed: chance.seed } };
    }
    const { seed } = chance;
    const text = lineAt(task.lines, start);
    flagsDone = answerLine(out, text, line, selection, options, flagsDone);
    if (flagsDone > ANSWERED) {
      // The task that answers the rest of this line reads the line again, and must generate the same session id.
      chance.seed = seed;
      continue;
    }
    if (flagsDone === NO_CONTEXT) Atomics.add(task.shared, 1, 1);
    flagsDone = 0;
    line++;
    start += text.length + 1;
  }
  return { answer: out.take(), rest: null };
}

function selectedFlags({ features, namePrefix }: BulkTask, { flags, find }: FlagSelection): FlagSelection {
  return { flags: selectFlags(flags, features, namePrefix), find };
}

/**
 * Whether the task may answer more flags. A started line is always completed: otherwise the error about too many invalid lines would follow an
 * incomplete line, which a client cannot parse.
 */
function mayContinue(shared: Int32Array, flagsDone: number): boolean {
  return Atomics.load(shared, 0) === 0 && (flagsDone > 0 || Atomics.load(shared, 1) <= BAD_LINES_MAX);
}
