/**
 * Work that is counted while it is done: each step says about how much it took, in units of some 20 ns, and may be followed by a pause. What
 * is counted is what callers can make large: values compared, characters read, steps of an expression. A clock that is looked at once a flag
 * does not see that one flag takes a second.
 */
export type Work<T> = Generator<number, T, void>;

/** Does the work without a pause. For what is known to be small, and where no request waits. */
export function workAtOnce<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** What is there at once, or comes of counted work where that may be much. */
export type Working<T extends object> = T | Work<T>;

/** What it comes to. */
export function* finished<T extends object>(working: Working<T>): Work<T> {
  return isWork(working) ? yield* working : working;
}

function isWork<T extends object>(working: Working<T>): working is Work<T> {
  return Symbol.iterator in working;
}
