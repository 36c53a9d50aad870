import { connect } from 'node:net';
import { Connection, requestBytes, targetOf } from '../support/connection.ts';

/**
 * Open consoles, in a process of their own: `open-consoles <url> <flag> <token>…` opens one for each token and sends `open` to its parent when each
 * follows the changes. After a commit, a console requests again what its screen shows: after a wait of its own, and at most once a second, as
 * `console/src/data/live.ts` does. Every second one shows the list of flags, the others the home screen.
 */
const [url = '', flag = '', ...tokens] = process.argv.slice(2);
const target = targetOf(url);
const READS_EVERY_MS = 1000;
const READS_SPREAD_MS = 300;
const FIELDS = 'project,type,description,stale,potentiallyStale,favorite,createdAt,lastSeenAt,tags,environments';
const LIST = [`/api/admin/search/features?limit=1000&query=${flag}&fields=${encodeURIComponent(FIELDS)}&sortBy=name`];
const HOME = [
  ...LIST,
  '/api/admin/search/change-requests?state=open&limit=8',
  '/api/admin/history?limit=15',
  '/api/admin/segments',
];

/** Resolves when the console follows the changes. */
function open(token: string, paths: readonly string[], waitMs: number): Promise<void> {
  const headers = { authorization: token, 'accept-encoding': 'gzip, deflate' };
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
  stream.write(requestBytes('GET', target, '/api/admin/changes', { authorization: token }));
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

const waitOf = (index: number) => (index / tokens.length) * READS_SPREAD_MS;
await Promise.all(tokens.map((token, index) => open(token, index % 2 === 0 ? LIST : HOME, waitOf(index))));
process.send?.('open');
