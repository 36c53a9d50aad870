import type { Browser } from 'playwright-core';
import { makeFlags } from '../support/flags.ts';
import { aside, atMost, type Figure, milliseconds } from '../support/report.ts';
import { openConsole } from './open.ts';

/** Its words are in no name, so that names and texts are all searched. */
const VAGUE = 'the thing that team 39 switches in billing';
/** The browser reports tasks from this length on. */
const LONG_TASK_MS = 50;

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
    await page.evaluate(`new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longestTask = Math.max(globalThis.longestTask ?? 0, duration);
    }).observe({ type: 'longtask' })`);
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
    const longestMs = (await page.evaluate<number>('globalThis.longestTask ?? 0')) || 0;
    return [
      atMost(LONG_TASK_MS, {
        name: `longest task while a vague text is typed, ${shown} flags`,
        ours: longestMs === 0 ? `< ${LONG_TASK_MS} ms` : milliseconds(longestMs),
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
