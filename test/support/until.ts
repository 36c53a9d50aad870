/** Calls `ask` until its answer meets the condition. The timeout is long enough for a busy machine. */
export async function until<T>(
  ask: () => T | Promise<T>,
  isSo: (answer: T) => boolean,
  timeoutMs = 100_000,
): Promise<T> {
  for (const deadlineMs = performance.now() + timeoutMs; ; ) {
    const answer = await ask();
    if (isSo(answer)) return answer;
    if (performance.now() > deadlineMs) throw new Error(`the answer stays ${JSON.stringify(answer)?.slice(0, 2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits until the condition is true. `what` says it in the error: "timeout while waiting until <what>". */
export async function untilTrue(
  isSo: () => boolean | Promise<boolean>,
  what: string | (() => string) = String(isSo),
  timeoutMs = 100_000,
): Promise<void> {
  // A condition that soon holds is seen soon, and one that asks a service for a second does not ask it a hundred times.
  let pauseMs = 5;
  for (const deadlineMs = performance.now() + timeoutMs; !(await isSo()); pauseMs = Math.min(pauseMs + 1, 25)) {
    if (performance.now() > deadlineMs)
      throw new Error(`timeout while waiting until ${typeof what === 'string' ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** What follows has a later time than what was before: a fast machine does both in one millisecond. */
export function untilNextMillisecond(): Promise<void> {
  const nowMs = Date.now();
  return untilTrue(() => Date.now() > nowMs, 'the millisecond is over');
}
