import type { Browser } from 'playwright-core';
import { makeFlags } from '../support/flags.ts';
import { atMost, bytes, type Figure, inform, megabytes, milliseconds, single } from '../support/report.ts';
import { type Opened, openConsole } from './open.ts';

const FLAGS = 5_000;
const ENVIRONMENTS = 50;
const SHOWN = `${FLAGS.toLocaleString('en')} flags`;
const MB = 1e6;
/** Two frames and a pause: all that follows the first view has been asked for, answered and painted. */
const SETTLED =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 2_000))))';

/** What it costs to open the list in a browser that has nothing of it. */
async function openList({ another, url, serverCpuS }: Opened) {
  const { page, session, metric, close } = await another();
  const seen = { apiBytes: 0, fileBytes: 0, requests: 0 };
  const paths = new Map<string, string>();
  session.on('Network.responseReceived', ({ requestId, response }) => {
    paths.set(requestId, new URL(response.url).pathname);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    seen.requests++;
    if (paths.get(requestId)?.startsWith('/api/')) seen.apiBytes += encodedDataLength;
    else seen.fileBytes += encodedDataLength;
  });
  await session.send('Network.enable');
  const serverS = serverCpuS();
  await page.goto(`${url}/features`, { waitUntil: 'commit' });
  await page.getByText(SHOWN, { exact: true }).waitFor({ timeout: 300_000 });
  await page.evaluate(SETTLED);
  // The page has a process of its own since its first address, so this is all of its time.
  const pageMs = (await metric('ThreadTime')) * 1_000;
  const serverMs = (serverCpuS() - serverS) * 1_000;
  await session.send('HeapProfiler.collectGarbage');
  const heapMb = (await metric('JSHeapUsedSize')) / MB;
  await close();
  return { ...seen, pageMs, serverMs, heapMb };
}

/** What it costs to open the list of 5,000 flags that are in 50 environments each, until all of it is there. */
export async function environmentsFigures(browser: Browser): Promise<Figure[]> {
  const names = Array.from({ length: ENVIRONMENTS - 2 }, (_, index) => `region-${String(index).padStart(2, '0')}`);
  const flags = makeFlags(FLAGS, { seed: FLAGS, environments: ['development', 'production', ...names], strategies: 1 });
  const opened = await openConsole(browser, flags, names);
  try {
    const first = await openList(opened);
    const again = await openList(opened);
    const of = `${SHOWN} in ${ENVIRONMENTS} environments`;
    const wireMb = (again.apiBytes + again.fileBytes) / MB;
    return [
      atMost(
        1,
        single(`bytes on the wire to open the list of ${of}`, (mb) => bytes(mb * MB), wireMb),
      ),
      inform('of which answers of the API', bytes(again.apiBytes)),
      atMost(1_000, single("CPU of the page's thread for it", 'ms', again.pageMs)),
      inform('the same for the first page after a start', milliseconds(first.pageMs)),
      atMost(1_000, single('CPU of the service for it', 'ms', again.serverMs)),
      atMost(1_000, single('the same for the first page after a start', 'ms', first.serverMs)),
      inform('requests for it', String(again.requests)),
      inform('heap with it', megabytes(again.heapMb * MB)),
    ];
  } finally {
    await opened.end();
  }
}
