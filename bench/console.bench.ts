import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { environmentsFigures } from './console/environments.ts';
import { navigationFigures } from './console/navigation.ts';
import { openConsole } from './console/open.ts';
import { wideFigures } from './console/wide.ts';
import { makeFlags } from './support/flags.ts';
import {
  atMost,
  type Figure,
  finish,
  inform,
  megabytes,
  milliseconds,
  parts,
  settings,
  single,
} from './support/report.ts';

/**
 * What the console costs: its files, the requests of the first view, the processor time of the page's thread until the list of flags is there, its
 * heap, and navigations; and keys, scrolling and the heap with many flags. What polls cost beside people is in `bench/streams.bench.ts`. Needs Chromium (CHROMIUM
 * names another program). Flags: BENCH_FLAGS, BENCH_WIDE_FLAGS. Parts: BENCH_PARTS (first,wide,environments).
 */
const PARTS = parts('first,wide,environments');
const { FLAGS, WIDE_FLAGS } = settings({ FLAGS: 10_000, WIDE_FLAGS: 100_000 });
const ASSETS = fileURLToPath(new URL('../console/assets/', import.meta.url));
const KB = 1_000;
const shown = FLAGS.toLocaleString('en');
/**
 * A promise of the page, for the time at which the frame with the first switch began, in milliseconds of `Date.now()`. Playwright's own waiting looks
 * for roles again and again, which took 70 ms of the page's thread.
 */
const SWITCH_IS_PAINTED = `new Promise((done) => {
  const look = () => {
    if (!document.querySelector('[role="switch"]')) return;
    changes.disconnect();
    requestAnimationFrame((began) => setTimeout(() => done(performance.timeOrigin + began)));
  };
  const changes = new MutationObserver(look);
  changes.observe(document, { childList: true, subtree: true });
  look();
})`;

/** Of the whole load: when the largest part was painted, in milliseconds, and how far parts moved. */
const PAINTS = `new Promise((done) => {
  const paints = { largestMs: 0, shift: 0 };
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) paints.largestMs = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) paints.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => done(paints), 500);
})`;

const sizeOf = (name: string) => readFileSync(`${ASSETS}${name}`).byteLength;
const gzipOf = (name: string) => (readdirSync(ASSETS).includes(`${name}.gz`) ? sizeOf(`${name}.gz`) : sizeOf(name));

const size = (name: string, limitKb: number, bytes: number): Figure =>
  atMost(limitKb, { name, ours: `${(bytes / KB).toFixed(1)} kB`, floor: '', ratio: bytes / KB });

/** The first of them without windows of its own, which would add to the figures of small machines. */
const PROGRAMS = [process.env.CHROMIUM, '/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

const browser = await chromium.launch({ executablePath: PROGRAMS.find((file) => file && existsSync(file)) ?? '' });

const notes: string[] = [];

async function firstFigures(): Promise<Figure[]> {
  const opened = await openConsole(browser, makeFlags(FLAGS, { seed: FLAGS }));
  const { page, session, metric } = opened;
  const requested: { readonly path: string; readonly atMs: number }[] = [];
  session.on('Network.requestWillBeSent', ({ request, wallTime }) =>
    requested.push({ path: new URL(request.url).pathname, atMs: wallTime * 1_000 }),
  );
  await session.send('Network.enable');
  const before = await metric('ThreadTime');
  await page.goto(`${opened.url}/features`, { waitUntil: 'commit' });
  const { result } = await session.send('Runtime.evaluate', { expression: SWITCH_IS_PAINTED, awaitPromise: true });
  const cpuMs = ((await metric('ThreadTime')) - before) * 1_000;
  const paintedMs = Number(result.value);
  const taskMs = (await metric('TaskDuration')) * 1_000;
  await page.getByText(`${shown} flags`, { exact: true }).waitFor();
  const wholeCpuMs = ((await metric('ThreadTime')) - before) * 1_000;
  await session.send('HeapProfiler.collectGarbage');
  const heapMb = (await metric('JSHeapUsedSize')) / 1e6;

  const paints = await page.evaluate<{ largestMs: number; shift: number }>(PAINTS);
  const navigations = await navigationFigures(opened);
  await opened.end();

  // The page asks for what the first view does not show as soon as that is painted, which can be before this program has learned of it.
  const first = requested.filter(({ atMs }) => atMs <= paintedMs).map(({ path }) => path);
  const assets = first.flatMap((path) => /\/assets\/(.*)$/.exec(path)?.[1] ?? []);
  const sum = (names: readonly string[]) => names.reduce((bytes, name) => bytes + gzipOf(name), 0);
  const whole = readdirSync(ASSETS).filter((name) => !/\.(gz|br)$/.test(name));
  const lazy = whole.filter((name) => !assets.includes(name)).sort((left, right) => gzipOf(right) - gzipOf(left));
  const memory = readdirSync(ASSETS).reduce((bytes, name) => bytes + sizeOf(name), 0);
  notes.push(`Requests of the first view: ${first.join(' ')}`);
  return [
    size('scripts of the first view, gzip', 150, sum(assets.filter((name) => name.endsWith('.js')))),
    size('styles of the first view, gzip', 15, sum(assets.filter((name) => name.endsWith('.css')))),
    size(`largest file that is loaded later (${lazy[0] ?? 'none'}), gzip`, 60, lazy[0] ? gzipOf(lazy[0]) : 0),
    size('all files, gzip', 600, sum(whole)),
    size('all files in all codings, in the memory of the service', 4_000, memory),
    atMost(8, single('requests of the first view', String, first.length)),
    atMost(400, single(`CPU of the page's thread until the first of ${shown} flags can be switched`, 'ms', cpuMs)),
    inform('tasks of the page until then', milliseconds(taskMs)),
    inform('CPU until all flags are listed', milliseconds(wholeCpuMs)),
    inform('requests until then', String(requested.length)),
    atMost(
      80,
      single(`heap with ${shown} flags`, (mb) => megabytes(mb * 1e6), heapMb),
    ),
    atMost(
      1_000,
      single(
        'time to the largest paint of the first view (not of the processor: other programs add to it)',
        'ms',
        paints.largestMs,
      ),
    ),
    atMost(0.02, { name: 'layout shift of the load', ours: paints.shift.toFixed(3), floor: '', ratio: paints.shift }),
    ...navigations,
  ];
}

try {
  const figures = [
    ...(PARTS.has('first') ? await firstFigures() : []),
    ...(PARTS.has('wide') ? await wideFigures(browser, WIDE_FLAGS) : []),
    ...(PARTS.has('environments') ? await environmentsFigures(browser) : []),
  ];
  finish('The console', figures, notes);
} finally {
  await browser.close();
}
