import type { CDPSession } from 'playwright-core';

/** As browsers define a long task. */
export const LONG_TASK_MS = 50;

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** The processor time in microseconds: other processes of the machine do not add to it. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Returns a function that ends the trace, and returns the processor time of the longest task of a page's thread. */
export async function traced(session: CDPSession): Promise<() => Promise<number>> {
  const main = new Set<string>();
  const tasks: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value as unknown as TraceEvent[]) {
      if (event.name === 'thread_name' && event.args?.name === 'CrRendererMain') main.add(`${event.pid}/${event.tid}`);
      if (event.name === 'RunTask') tasks.push(event);
    }
  });
  const ended = new Promise<void>((done) => session.once('Tracing.tracingComplete', () => done()));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['disabled-by-default-devtools.timeline'], excludedCategories: ['*'] },
  });
  return async () => {
    await session.send('Tracing.end');
    await ended;
    const ofPages = tasks.filter(({ pid, tid }) => main.has(`${pid}/${tid}`));
    if (!ofPages.some(({ tdur }) => tdur !== undefined)) throw new Error('the trace has no processor times');
    return ofPages.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur), 0) / 1_000;
  };
}
