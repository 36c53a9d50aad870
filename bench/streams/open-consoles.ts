import { connect } from 'node:net';
import { Connection, requestBytes, targetOf } from '../support/connection.ts';
import { cookieOf } from './people-looking.ts';

/**
 * Open consoles, in a process of their own: `open-consoles <url> <flag> <screens> <count>` opens them, each of another person (`people-looking.ts`), and
 * sends `open` to its parent when each follows the changes. After a commit, a console requests again what its screen shows: after a wait of its own, and at
 * most once a second, as `console/src/data/live.ts` does. The consoles show the named screens in turn. The requests are those of a browser with that screen
 * (`test/console/whole/reads-after-changes.browser.ts` counts them): the list reads the index of flags, and the stream has what differs.
 */
const [url = '', flag = '', screens = '', count = ''] = process.argv.slice(2);
const target = targetOf(url);
const READS_EVERY_MS = 1000;
const READS_SPREAD_MS = 100;
const FLAG = `/api/admin/projects/default/features/${flag}`;
const SCREENS: Readonly<Record<string, readonly string[]>> = {
  list: [],
  home: ['/api/admin/history?limit=15'],
  flag: [FLAG, `${FLAG}/environments/development/safeguards`],
};

/** Resolves when the console follows the changes. */
async function open(cookie: string, paths: readonly string[], waitMs: number): Promise<void> {
  const headers = { cookie, 'accept-encoding': 'gzip, deflate' };
  const asked = paths.map((path) => ({
    connection: new Connection(target),
    request: requestBytes('GET', target, path, headers),
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
  stream.write(requestBytes('GET', target, '/api/admin/changes?flags=details', { cookie }));
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
