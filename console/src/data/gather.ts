const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Runs with the first item at once, and then at most once in `everyMs`, and never twice at the same time: the items that come
 * meanwhile are gathered for the next run.
 */
export function gathering<T>(everyMs: number, run: (items: readonly T[]) => Promise<unknown>): (item: T) => void {
  let waiting: T[] = [];
  let isRunning = false;
  const rounds = async () => {
    isRunning = true;
    while (waiting.length > 0) {
      const items = waiting;
      waiting = [];
      await Promise.all([run(items).catch(() => undefined), pause(everyMs)]);
    }
    isRunning = false;
  };
  return (item) => {
    waiting.push(item);
    if (!isRunning) void rounds();
  };
}

/** Runs what it is given after a time that is random but always the same here, and so in order: what all open pages do at once is spread over `mostMs`. */
export function spreading(mostMs: number): (run: () => void) => void {
  const waitMs = Math.random() * mostMs;
  return (run) => void setTimeout(run, waitMs);
}
