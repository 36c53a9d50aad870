import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFlags } from './support/flags.ts';
import { load } from './support/load.ts';
import { atLeast, type Figure, finish, machine, median, microseconds, perSecond, setting } from './support/report.ts';
import {
  CLIENT_TOKEN,
  freePort,
  type Process,
  startProcess,
  startSeededService,
  untilReady,
} from './support/service.ts';
import { removeDirectory, temporaryDirectory } from './support/temporary.ts';

/**
 * The client list against the floor: the same bytes and headers from a bare uWebSockets.js server, in turn, in one run. Ratios by rate and
 * by processor time a request, because on few cores the load generator can be the limit and a rate then hides the cost.
 * Sizes: BENCH_SIZES (flags, comma-separated), rounds: BENCH_ROUNDS, seconds a round: BENCH_SECONDS.
 */
const SIZES = (process.env.BENCH_SIZES ?? '5,500,10000').split(',').map(Number);
const ROUNDS = setting('BENCH_ROUNDS', 5);
const SECONDS = setting('BENCH_SECONDS', 2);
const BARE = fileURLToPath(new URL('./support/bare-server.js', import.meta.url));

interface Recorded {
  readonly status: string;
  readonly headers: [string, string][];
  readonly body: Buffer;
  readonly etag: string;
}

/** The answer as it stands on the wire. uWS itself adds date, its own name and the length, to both servers. */
function record(url: string, headers: Record<string, string>): Promise<Recorded> {
  return new Promise((resolve, reject) => {
    request(url, { headers, timeout: 30_000 }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const pairs: [string, string][] = [];
        for (let index = 0; index < response.rawHeaders.length; index += 2) {
          const name = response.rawHeaders[index]?.toLowerCase() ?? '';
          if (!['date', 'uwebsockets', 'content-length', 'connection'].includes(name))
            pairs.push([name, response.rawHeaders[index + 1] ?? '']);
        }
        const status = `${response.statusCode} ${response.statusMessage}`;
        resolve({ status, headers: pairs, body: Buffer.concat(chunks), etag: String(response.headers.etag) });
      });
    })
      .on('error', reject)
      .on('timeout', () => reject(new Error('no answer in time')))
      .end();
  });
}

async function measure(
  server: Process,
  headers: Record<string, string>,
  connections: number,
): Promise<{ rate: number; cpuUs: number }> {
  const before = server.cpuS();
  const result = await load({ url: `${server.url}/api/client/features`, headers, connections, durationS: SECONDS });
  if (result.errors > 0) throw new Error(`${result.errors} requests failed`);
  return { rate: result.requestsPerS, cpuUs: ((server.cpuS() - before) / result.requests) * 1e6 };
}

async function compare(
  name: string,
  service: Process,
  headers: Record<string, string>,
  connections: number,
): Promise<Figure[]> {
  const directory = temporaryDirectory();
  const { status, headers: answerHeaders, body } = await record(`${service.url}/api/client/features`, headers);
  writeFileSync(join(directory, 'answer.json'), JSON.stringify({ status, headers: answerHeaders }));
  writeFileSync(join(directory, 'body'), body);
  const port = await freePort();
  const bare = await startProcess(
    BARE,
    [String(port), join(directory, 'answer.json'), join(directory, 'body')],
    {},
    port,
  );
  await untilReady(bare);
  try {
    for (const server of [service, bare]) await measure(server, headers, connections);
    const rounds: { ours: { rate: number; cpuUs: number }; floor: { rate: number; cpuUs: number } }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      // In alternating order: what else the machine does may fade or grow.
      const isFirst = round % 2 === 0;
      const before = isFirst ? undefined : await measure(bare, headers, connections);
      const ours = await measure(service, headers, connections);
      rounds.push({ ours, floor: before ?? (await measure(bare, headers, connections)) });
    }
    const rate = median(rounds.map(({ ours, floor }) => ours.rate / floor.rate));
    const cpu = median(rounds.map(({ ours, floor }) => floor.cpuUs / ours.cpuUs));
    const of = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.map(pick));
    const label = `${name} (${body.byteLength.toLocaleString('en')} B)`;
    return [
      atLeast(0.9, {
        name: `${label}, rate`,
        ours: perSecond(of(({ ours }) => ours.rate)),
        floor: perSecond(of(({ floor }) => floor.rate)),
        ratio: rate,
      }),
      atLeast(0.97, {
        name: `${label}, CPU a request`,
        ours: microseconds(of(({ ours }) => ours.cpuUs)),
        floor: microseconds(of(({ floor }) => floor.cpuUs)),
        ratio: cpu,
      }),
    ];
  } finally {
    await bare.end();
    removeDirectory(directory);
  }
}

const figures: Figure[] = [];
for (const size of SIZES) {
  const service = await startSeededService(makeFlags(size, { seed: size }));
  try {
    const base = {
      authorization: CLIENT_TOKEN,
      'unleash-client-spec': '5.2.0',
      'unleash-appname': 'bench',
      'unleash-instanceid': 'bench-1',
    };
    const { etag } = await record(`${service.url}/api/client/features`, base);
    const connections = size >= 10_000 ? 16 : 64;
    figures.push(...(await compare(`list, ${size} flags, identity`, service, base, connections)));
    figures.push(
      ...(await compare(`list, ${size} flags, gzip`, service, { ...base, 'accept-encoding': 'gzip' }, connections)),
    );
    figures.push(...(await compare(`list, ${size} flags, 304`, service, { ...base, 'if-none-match': etag }, 64)));
  } finally {
    await service.end();
  }
}
finish(`Client list against bare uWebSockets.js (${machine()})`, figures);
