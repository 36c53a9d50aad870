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
