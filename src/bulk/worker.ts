import { Piscina } from 'piscina';
import { ByteBuffer } from '../base/byte-buffer.ts';
import { answerLine, selectFlags } from './evaluate-lines.ts';
import { BAD_LINES_MAX, type BulkResult, type BulkTask } from './protocol.ts';
import { ScopeCache } from './scope-cache.ts';

const cache = new ScopeCache();
const out = new ByteBuffer();
const NEWLINE = 0x0a;

/** Answers the context lines of one task. Runs in a thread of the pool; keeps what it compiled between tasks. */
export default function evaluateTask(task: BulkTask): BulkResult {
  out.clear();
  const all = cache.flags(task.scope);
  const selection = { flags: selectFlags(all.flags, task.features, task.namePrefix), find: all.find };
  const options = { environment: task.scope.environment, nowMs: task.nowMs, random: seededRandom(task.seed) };
  const bytes = Buffer.from(task.lines.buffer, task.lines.byteOffset, task.lines.byteLength);
  let line = task.firstLine;
  for (let start = 0; start < bytes.length && mayGoOn(task.shared); line++) {
    const end = bytes.indexOf(NEWLINE, start);
    const text = bytes.toString('utf8', start, end < 0 ? bytes.length : end);
    if (!answerLine(out, text, line, selection, options)) Atomics.add(task.shared, 1, 1);
    start = end < 0 ? bytes.length : end + 1;
  }
  // Given away, not copied: the thread has no use for it.
  return Piscina.move(out.take()) as BulkResult;
}

function mayGoOn(shared: Int32Array): boolean {
  return Atomics.load(shared, 0) === 0 && Atomics.load(shared, 1) <= BAD_LINES_MAX;
}

/** mulberry32, so that a task needs no chance of its own. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
