import { Piscina, transferableSymbol, valueSymbol } from 'piscina';
import { ByteBuffer } from '../../base/byte-buffer.ts';
import { answerTask } from './answer-task.ts';
import type { BulkResult, BulkTask, WorkerOptions } from './protocol.ts';
import { ScopeCache } from './scope-cache.ts';

const { hashEncoding } = Piscina.workerData as WorkerOptions;
const cache = new ScopeCache(hashEncoding);
const out = new ByteBuffer();

/** Answers the context lines of one task. Runs in a thread of the pool, which keeps the compiled flags between tasks. */
export default function evaluateTask(task: BulkTask): BulkResult {
  const result = answerTask(task, () => cache.flags(task.scope), out);
  // The answer is transferred and not copied, because the thread does not need it any more.
  const transfer = { [transferableSymbol]: result.answer.buffer, [valueSymbol]: result };
  return Piscina.move(transfer) as unknown as BulkResult;
}
