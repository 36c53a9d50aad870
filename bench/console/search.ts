import type { Browser, CDPSession } from 'playwright-core';
import { makeFlags } from '../support/flags.ts';
import { aside, atMost, type Figure, milliseconds } from '../support/report.ts';
import { openConsole } from './open.ts';

/** Its words are in no name, so that names and texts are all searched. */
const VAGUE = 'the thing that team 39 switches in billing';
/** As browsers define a long task. */
const LONG_TASK_MS = 50;

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** The processor time in microseconds: other processes of the machine do not add to it. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Returns a function that ends the trace, and returns the processor time of the longest task of a page's thread. */
async function traced(session: CDPSession): Promise<() => Promise<number>> {
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

/** What each key of a vague text costs in the palette, and the longest that it blocks the page. */
export async function searchFigures(browser: Browser, count: number): Promise<Figure[]> {
  const opened = await openConsole(browser, makeFlags(count, { seed: count }));
  try {
    const { page, metric } = opened;
    const shown = count.toLocaleString('en');
    await page.goto(`${opened.url}/features`, { waitUntil: 'commit' });
    await page.getByText(`${shown} flags`, { exact: true }).waitFor({ timeout: 300_000 });
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox', { name: 'Flag, screen or action' }).waitFor();
    const endTrace = await traced(opened.session);
    const before = await metric('ThreadTime');
    for (const key of VAGUE) {
      await page.keyboard.type(key);
      // Two frames and a pause: the list of this key is searched and painted while the next one is typed.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 200)))');
    }
    await page
      .getByRole('option', { name: /team 39/ })
      .first()
      .waitFor();
    const cpuMs = ((await metric('ThreadTime')) - before) * 1_000;
    const longestMs = await endTrace();
    return [
      atMost(LONG_TASK_MS, {
        name: `CPU of the longest task while a vague text is typed, ${shown} flags`,
        ours: milliseconds(longestMs),
        floor: '',
        ratio: longestMs,
      }),
      aside({
        name: `CPU of the page's thread for each key of it`,
        ours: milliseconds(cpuMs / VAGUE.length),
        floor: '',
        ratio: null,
      }),
    ];
  } finally {
    await opened.end();
  }
}
