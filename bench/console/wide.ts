import type { Browser } from 'playwright-core';
import { makeFlags } from '../support/flags.ts';
import { atMost, type Figure, inform, megabytes, milliseconds, percentile, single } from '../support/report.ts';
import { type Opened, openConsole } from './open.ts';
import { LONG_TASK_MS, traced } from './trace.ts';

/** Its words are in no name, so that names and texts are all searched. */
const VAGUE = 'the thing that team 39 switches in billing';
const FRAMES = 150;
/** A turn of a wheel. */
const STEP_PX = 100;
/** Two frames and a pause: the list of a key is searched and painted before the next one is typed. */
const PAINTED =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 200))))';

const cpu = (name: string, aimMs: number, ms: number): Figure => atMost(aimMs, single(name, 'ms', ms));

/** Types the text, and returns the processor time of the page's thread of each key, in milliseconds. */
async function typed({ page, metric }: Opened, text: string): Promise<number[]> {
  const costs: number[] = [];
  for (const key of text) {
    const before = await metric('ThreadTime');
    await page.keyboard.type(key);
    await page.evaluate(PAINTED);
    costs.push(((await metric('ThreadTime')) - before) * 1_000);
  }
  return costs;
}

/** Scrolls the list of flags by one turn of a wheel in each frame, and returns the processor time of the page's thread of each frame, in milliseconds. */
async function scrolled({ page, metric }: Opened, stepPx: number): Promise<number[]> {
  const costs: number[] = [];
  for (let frame = 0; frame < FRAMES; frame++) {
    const before = await metric('ThreadTime');
    await page.evaluate(`new Promise((done) => {
      document.querySelector('[role=grid]').scrollTop += ${stepPx};
      requestAnimationFrame(() => setTimeout(done));
    })`);
    costs.push(((await metric('ThreadTime')) - before) * 1_000);
  }
  return costs;
}

/** What the console costs when it lists so many flags: its heap, a key in the filter and in the palette, a frame of scrolling, the longest task. */
export async function wideFigures(browser: Browser, count: number): Promise<Figure[]> {
  const opened = await openConsole(browser, makeFlags(count, { seed: count }));
  try {
    const { page, session, metric } = opened;
    const shown = count.toLocaleString('en');
    await page.goto(`${opened.url}/features`, { waitUntil: 'commit' });
    await page.getByText(`${shown} flags`, { exact: true }).waitFor({ timeout: 300_000 });
    await page.evaluate(PAINTED);
    await session.send('HeapProfiler.collectGarbage');
    const heapMb = (await metric('JSHeapUsedSize')) / 1e6;
    const endTrace = await traced(session);
    const frames = await scrolled(opened, STEP_PX);
    const still = await scrolled(opened, 0);
    await page.keyboard.press('/');
    const filtered = await typed(opened, 'team 39');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox', { name: 'Flag, screen or action' }).waitFor();
    const searched = await typed(opened, VAGUE);
    await page
      .getByRole('option', { name: /team 39/ })
      .first()
      .waitFor();
    const longestMs = await endTrace();
    const mean = searched.reduce((sum, ms) => sum + ms, 0) / searched.length;
    return [
      atMost(
        80,
        single(`heap with ${shown} flags`, (mb) => megabytes(mb * 1e6), heapMb),
      ),
      {
        ...cpu(
          `CPU of the page's thread for a frame that scrolls by ${STEP_PX} px, ${shown} flags, p95`,
          8,
          percentile(frames, 0.95),
        ),
        floor: `${milliseconds(percentile(still, 0.95))} standing still`,
      },
      cpu(
        `CPU of the page's thread from a key to the painted list, filter, ${shown} flags, p95`,
        50,
        percentile(filtered, 0.95),
      ),
      cpu(`the same in the palette, a vague text, p95`, 50, percentile(searched, 0.95)),
      cpu(`CPU of the longest task after the load, ${shown} flags`, LONG_TASK_MS, longestMs),
      inform('CPU for each key of the vague text, mean', milliseconds(mean)),
    ];
  } finally {
    await opened.end();
  }
}
