import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { startFloor } from './floors.ts';
import { inTurn } from './in-turn.ts';
import { rateOf } from './load.ts';
import { aside, atLeast, type Figure, median, medians, microseconds } from './report.ts';
import type { Process } from './service.ts';
import { removeDirectory, temporaryDirectory } from './temporary.ts';

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
 * A bare uWebSockets.js server that sends this answer to every request; with `answers-in-one` it writes the head in one piece. With `node`, a bare `node:http`
 * server. Resolves when it listens.
 */
export async function startBare(
  { status, headers, body }: Recorded,
  kind: 'answers' | 'answers-in-one' | 'node' = 'answers',
): Promise<Process> {
  const directory = temporaryDirectory();
  const files = [join(directory, 'answer.json'), join(directory, 'body')] as const;
  writeFileSync(files[0], JSON.stringify({ status, headers }));
  writeFileSync(files[1], body);
  // The server has read the files when it is ready.
  return startFloor(kind, ...files).finally(() => removeDirectory(directory));
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
  const lean = await startBare(answer, 'answers-in-one');
  const asked = (server: Process) => () => rateOf(server, { path: LIST, ...asking, headers });
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
      atLeast(
        0.9,
        medians(rounds, `${label}, rate`, '/s', (round) => [round.ours.perS, round.floor.perS]),
      ),
      atLeast(0.97, { name: `${label}, CPU a request`, ...cpu('floor') }),
      aside({ name: `${label}, CPU a request / a head written in one piece`, ...cpu('lean') }),
    ];
  } finally {
    await floor.end();
    await lean.end();
  }
}
