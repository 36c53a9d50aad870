import type { Logger } from '../base/logger.ts';

/** What asks a service to stop: the operator's two, and the end of the terminal. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** npm forwards SIGTERM and SIGINT, but dies of everything else without a word. */
const PARENT_CHECK_MS = 250;

/**
 * Stops the service gracefully, once, whatever asks for it. `startedByNpm` also when npm ends: the process would have no parent,
 * and it would hold the port. Returns whether a stop was asked for.
 */
export function stopWhenAsked(close: () => Promise<void>, logger: Logger, startedByNpm: boolean): () => boolean {
  let stopping = false;
  const stop = (reason: string) => {
    if (stopping) return;
    stopping = true;
    const startedMs = performance.now();
    logger.info(`stopping on ${reason}`);
    close().then(
      () => {
        logger.info({ tookMs: Math.round(performance.now() - startedMs) }, 'burgee has stopped');
        process.exit(0);
      },
      (error: unknown) => {
        logger.fatal({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  if (startedByNpm) whenParentEnds(() => stop('the end of npm'));
  return () => stopping;
}

function whenParentEnds(ended: () => void): void {
  const parent = process.ppid;
  const check = () => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    ended();
  };
  const timer = setInterval(check, PARENT_CHECK_MS).unref();
}
