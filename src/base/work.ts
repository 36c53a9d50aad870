/**
 * Work that is counted while it is done: each step yields an approximate cost, in units of about 20 ns, and a pause may follow. It counts the
 * operations that callers can make expensive: comparisons of values, reads of characters, steps of an expression. Code that runs it checks the clock
 * depending on the cost: not at each of many cheap steps, and at each expensive one.
 */
export type Work<T> = Generator<number, T, void>;

/** Does the work without a pause. Use it only for work that is certainly small, or when no request is waiting. */
export function workAtOnce<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** A result that is available immediately, or the counted work that produces the result, if producing it may take long. */
export type ResultOrWork<T extends object> = T | Work<T>;

/** Returns the result, after the counted work if there is any. */
export function* resultOf<T extends object>(resultOrWork: ResultOrWork<T>): Work<T> {
  return isWork(resultOrWork) ? yield* resultOrWork : resultOrWork;
}

function isWork<T extends object>(resultOrWork: ResultOrWork<T>): resultOrWork is Work<T> {
  return Symbol.iterator in resultOrWork;
}
