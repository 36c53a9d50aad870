import { connect } from 'node:net';
import { Connection, requestBytes, targetOf } from '../support/connection.ts';
import { cookieOf } from './people-looking.ts';

/**
 * Open consoles, in a process of their own: `open-consoles <url> <flag> <screens> <count>` opens them, each of another person (`people-looking.ts`), and
 * sends `open` to its parent when each follows the changes. After a commit, a console requests again what its screen shows: after a wait of its own, and at
 * most once a second, as `console/src/data/live.ts` does. The consoles show the named screens in turn. The requests are those of a browser with that screen.
 */
const [url = '', flag = '', screens = '', count = ''] = process.argv.slice(2);
const target = targetOf(url);
const READS_EVERY_MS = 1000;
const READS_SPREAD_MS = 300;
/** Requested with the revision that the console has read when it was opened. */
const INDEX = '/api/admin/flag-index?fields=details';
const LIST = [INDEX];
const PROJECT = '/api/admin/projects/default';
const FLAG = `${PROJECT}/features/${flag}`;
const SCREENS: Readonly<Record<string, readonly string[]>> = {
  list: LIST,
  home: [
    ...LIST,
    '/api/admin/search/change-requests?state=open&limit=8',
    '/api/admin/history?limit=15',
    `/api/admin/search/events?${new URLSearchParams({ type: 'IS:feature-change-undone', from: 'IS:2026-01-01T00:00:00.000Z', limit: '200', fields: 'summary' })}`,
    `/api/admin/search/events?${new URLSearchParams({ type: 'IS:change-request-applied', groupId: 'IS_ANY_OF:7,4,1', limit: '3' })}`,
  ],
  flag: [
    FLAG,
    `${PROJECT}/environments`,
    `${PROJECT}/change-requests/config`,
    `${PROJECT}/change-requests/pending/${flag}`,
    `${FLAG}/environments/development/safeguards`,
    `${FLAG}/environments/production/safeguards`,
  ],
};

/** The path of the differences of the index since now. */
async function differences(cookie: string): Promise<string> {
  const answer = await fetch(url + INDEX, { headers: { cookie } });
  await answer.arrayBuffer();
  return `${INDEX}&since=${answer.headers.get('burgee-index-revision')}`;
}

/** Resolves when the console follows the changes. */
async function open(cookie: string, paths: readonly string[], waitMs: number): Promise<void> {
  const headers = { cookie, 'accept-encoding': 'gzip, deflate' };
  const since = paths.includes(INDEX) ? await differences(cookie) : '';
  const asked = paths.map((path) => ({
    connection: new Connection(target),
    request: requestBytes('GET', target, path === INDEX ? since : path, headers),
  }));
  let isReading = false;
  let isDue = false;
  const read = async () => {
    isDue = true;
    if (isReading) return;
    isReading = true;
    while (isDue) {
      isDue = false;
      const pause = new Promise((resolve) => setTimeout(resolve, READS_EVERY_MS));
      const answers = await Promise.all(asked.map(({ connection, request }) => connection.ask(request)));
      for (const { status } of answers) if (status !== 200) throw new Error(`a console was answered ${status}`);
      await pause;
    }
    isReading = false;
  };
  const stream = connect({ host: target.host, port: target.port });
  stream.write(requestBytes('GET', target, '/api/admin/changes', { cookie }));
  return new Promise((resolve, reject) => {
    stream.on('error', reject);
    stream.on('close', () => reject(new Error('the stream of changes was ended')));
    stream.on('data', (bytes: Buffer) => {
      if (bytes.includes('event: connected\n')) resolve();
      // An error ends the process, and with it the bench.
      if (bytes.includes('event: commit\n')) setTimeout(() => void read(), waitMs);
    });
  });
}

const paths = screens.split(',').map((screen) => SCREENS[screen] ?? []);
const opened = Array.from({ length: Number(count) }, (_, index) =>
  open(cookieOf(index), paths[index % paths.length] ?? [], (index / Number(count)) * READS_SPREAD_MS),
);
await Promise.all(opened);
process.send?.('open');
