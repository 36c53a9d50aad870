import { atMost, type Figure, inform, median, milliseconds, percentile, single } from '../support/report.ts';
import type { Opened } from './open.ts';

/** Screens of the side bar that everybody sees without opening a group. Each is visited once before the first measurement, so that its script is there. */
const SCREENS = ['/features', '/projects', '/change-requests', '/playground', '/recent-changes', '/history'];
const NAVIGATIONS = 200;

/** Presses a link of the side bar; resolves when its screen is painted and its requests have ended. */
const press = (href: string) => `new Promise((done, failed) => {
  const link = document.querySelector('nav a[href="${href}"]');
  if (!link) return failed(new Error('the side bar has no link to ${href}'));
  link.click();
  const look = () => {
    const isThere = location.pathname === '${href}' && document.querySelector('main h1') && !document.querySelector('main [aria-busy=true]');
    if (isThere) requestAnimationFrame(() => setTimeout(done));
    else requestAnimationFrame(look);
  };
  look();
})`;

/** What a navigation within the console costs, and how much memory many of them leave behind. The page shows a list of flags. */
export async function navigationFigures({ page, session, metric }: Opened): Promise<Figure[]> {
  const heapMb = async () => {
    await session.send('HeapProfiler.collectGarbage');
    return (await metric('JSHeapUsedSize')) / 1e6;
  };
  for (const href of SCREENS) await page.evaluate(press(href));
  await page.evaluate(press('/features'));
  const before = await heapMb();
  const costs: number[] = [];
  for (let count = 0; count < NAVIGATIONS; count++) {
    const start = await metric('ThreadTime');
    await page.evaluate(press(SCREENS[count % SCREENS.length] ?? ''));
    costs.push(((await metric('ThreadTime')) - start) * 1_000);
  }
  await page.evaluate(press('/features'));
  const grown = (await heapMb()) - before;
  const worst = percentile(costs, 0.95);
  return [
    atMost(100, single("CPU of the page's thread for a warm navigation, p95", 'ms', worst)),
    inform('the same, median', milliseconds(median(costs))),
    atMost(5, {
      name: `heap after ${NAVIGATIONS} navigations, more than before`,
      ours: `${grown.toFixed(1)} MB`,
      floor: '',
      ratio: grown,
    }),
  ];
}
