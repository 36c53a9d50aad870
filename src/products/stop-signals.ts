import type { Logger } from '../base/logger.ts';

/** Signals that stop a service. The operator sends the first two; SIGHUP comes when the terminal closes. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** Interval of checking whether npm still runs. npm forwards SIGTERM and SIGINT, but any other signal ends npm without a signal to this process. */
const PARENT_CHECK_MS = 250;

/**
 * Stops the service gracefully, once, at the first stop signal. With `startedByNpm`, the service also stops when npm ends: without this,
 * the process would continue without a parent and keep its port in use. The returned function says whether a stop has begun.
 */
export function stopOnSignal(close: () => Promise<void>, logger: Logger, startedByNpm: boolean): () => boolean {
  let isStopping = false;
  const stop = (reason: string) => {
    if (isStopping) return;
    isStopping = true;
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
  return () => isStopping;
}

function whenParentEnds(onEnd: () => void): void {
  const parent = process.ppid;
  const check = () => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onEnd();
  };
  const timer = setInterval(check, PARENT_CHECK_MS).unref();
}
