import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import { inTurn } from './in-turn.ts';
import { load } from './load.ts';
import { aside, atLeast, type Figure, median, microseconds, perSecond } from './report.ts';
import { type Process, startProcess, untilReady } from './service.ts';
import { removeDirectory, temporaryDirectory } from './temporary.ts';

const BARE = fileURLToPath(new URL('./bare-server.js', import.meta.url));
const BARE_NODE = fileURLToPath(new URL('./bare-node-server.js', import.meta.url));
const LIST = '/api/client/features';

/** How a path is requested. */
interface Asking {
  readonly connections: number;
  readonly rounds: number;
  readonly seconds: number;
  /** Without it, the list of the client API. */
  readonly path?: string;
}

interface Recorded {
  readonly status: string;
  readonly headers: [string, string][];
  readonly body: Buffer;
  readonly etag: string;
}

/** The answer as it is sent on the wire. Left out are the date, the name of uWS and the length, which uWS adds on both servers. */
export function record(url: string, headers: Record<string, string>): Promise<Recorded> {
  return new Promise((resolve, reject) => {
    request(url, { headers, timeout: 30_000 }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const pairs: [string, string][] = [];
        for (let index = 0; index < response.rawHeaders.length; index += 2) {
          const name = response.rawHeaders[index]?.toLowerCase() ?? '';
          if (!['date', 'uwebsockets', 'content-length', 'connection', 'keep-alive'].includes(name))
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

/**
 * A bare uWebSockets.js server that sends this answer to every request; with `in-one` it writes the head in one piece. With `node`, a bare `node:http`
 * server. Resolves when it listens.
 */
export async function startBare({ status, headers, body }: Recorded, ...way: ('in-one' | 'node')[]): Promise<Process> {
  const directory = temporaryDirectory();
  const files = [join(directory, 'answer.json'), join(directory, 'body')] as const;
  writeFileSync(files[0], JSON.stringify({ status, headers }));
  writeFileSync(files[1], body);
  const port = await freePort();
  const script = way.includes('node') ? BARE_NODE : BARE;
  const bare = await startProcess(script, [String(port), ...files, ...way], {}, port);
  // The server has read the files when it is ready.
  await untilReady(bare).finally(() => removeDirectory(directory));
  return bare;
}

interface Rate {
  readonly rate: number;
  /** Processor time of the server, microseconds a request. */
  readonly cpuUs: number;
}

/** Sends requests to one server as fast as it answers, for one round. */
export async function measure(
  server: Process,
  headers: Record<string, string>,
  { connections, path = LIST, seconds }: Omit<Asking, 'rounds'>,
): Promise<Rate> {
  const before = server.cpuS();
  const result = await load({ url: server.url + path, headers, connections, durationS: seconds });
  if (result.errors > 0) throw new Error(`${result.errors} requests failed`);
  return { rate: result.requestsPerS, cpuUs: ((server.cpuS() - before) / result.requests) * 1e6 };
}

/**
 * Rate and processor time of a path, against a bare uWebSockets.js server that sends the same bytes and writes its headers one by one. A further row
 * compares with a bare server that writes its head in one piece, as the service does: the first two ratios include what that saves. All servers are measured
 * in turn, in one run.
 */
export async function compare(
  name: string,
  service: Process,
  headers: Record<string, string>,
  asking: Asking,
): Promise<Figure[]> {
  const answer = await record(service.url + (asking.path ?? LIST), headers);
  const { body } = answer;
  const floor = await startBare(answer);
  const lean = await startBare(answer, 'in-one');
  const asked = (server: Process) => () => measure(server, headers, asking);
  // The floor, and a bare server that writes its head as the service does.
  const ways = { ours: asked(service), floor: asked(floor), lean: asked(lean) };
  try {
    await inTurn(1, ways);
    const rounds = await inTurn(asking.rounds, ways);
    const of = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.map(pick));
    const label = `${name} (${body.byteLength.toLocaleString('en')} B)`;
    const cpu = (against: 'floor' | 'lean') => ({
      ours: microseconds(of(({ ours }) => ours.cpuUs)),
      floor: microseconds(of((round) => round[against].cpuUs)),
      ratio: of((round) => round[against].cpuUs / round.ours.cpuUs),
    });
    return [
      atLeast(0.9, {
        name: `${label}, rate`,
        ours: perSecond(of(({ ours }) => ours.rate)),
        floor: perSecond(of((round) => round.floor.rate)),
        ratio: of((round) => round.ours.rate / round.floor.rate),
      }),
      atLeast(0.97, { name: `${label}, CPU a request`, ...cpu('floor') }),
      aside({ name: `${label}, CPU a request / a head written in one piece`, ...cpu('lean') }),
    ];
  } finally {
    await floor.end();
    await lean.end();
  }
}
