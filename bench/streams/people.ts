import { fileURLToPath } from 'node:url';
import type { Feature } from '../../src/model/feature.ts';
import { Connection, requestBytes, targetOf } from '../support/connection.ts';
import { freePort } from '../support/free-port.ts';
import { aside, atMost, type Figure, median, microseconds, milliseconds } from '../support/report.ts';
import { ADMIN_TOKEN, startProcess, startSeededService, untilReady } from '../support/service.ts';
import { Readers } from './readers.ts';
import { bytesOfChange, eventOf, type Sending, sendInTurn, spreadOf } from './sending.ts';
import { Switches } from './switches.ts';

const BARE = fileURLToPath(new URL('../support/bare-streams.js', import.meta.url));

/** Streams of one token; the service accepts at most 200. */
const STREAMS_PER_TOKEN = 100;

/** What a commit costs if `count` people follow the changes, against a bare uWebSockets.js server that writes as many bytes to as many connections. */
export async function measurePeople(count: number, features: readonly Feature[], rounds: number): Promise<Figure[]> {
  const tokens = Array.from(
    { length: Math.ceil(count / STREAMS_PER_TOKEN) },
    (_, index) => `*:*.bench-person-${index}`,
  );
  const env = { INIT_ADMIN_API_TOKENS: [ADMIN_TOKEN, ...tokens].join() };
  const service = await startSeededService(features, { env });
  const barePort = await freePort();
  const bare = await startProcess(BARE, [String(barePort)], {}, barePort);
  const switches = new Switches(service.url);
  const tokenOf = (index: number) => tokens[index % tokens.length] as string;
  const ours = new Readers(service.url, '/api/admin/changes', (index) => ({ authorization: tokenOf(index) }));
  const floors = new Readers(bare.url, '/stream');
  const bareTarget = targetOf(bare.url);
  const sender = new Connection(bareTarget);
  try {
    await untilReady(bare);
    const [{ name: flag } = { name: '' }] = features;
    const writeMs = await timeWrites(switches, flag, rounds);
    await ours.open(service, count, 'event: connected\n');
    await floors.open(bare, count);
    const sent: Sending = {
      server: service,
      readers: ours,
      cause: () => switches.next(flag),
      marker: 'event: commit\n',
    };
    const eventBytes = await bytesOfChange(sent);
    const send = requestBytes('POST', bareTarget, '/tell', {}, eventOf(eventBytes));
    const floor: Sending = { server: bare, readers: floors, cause: () => sender.ask(send) };
    const times = await sendInTurn(rounds, sent, floor);
    const [last, bareLast] = [spreadOf(times.ours.times).last, spreadOf(times.floor.times).last];
    return [
      atMost(1.5, {
        name: `commit → the last of ${count} streams of /api/admin/changes / a write by itself and bare uWS writing the same ${eventBytes} B`,
        ours: milliseconds(last),
        floor: milliseconds(bareLast + writeMs),
        ratio: last / (bareLast + writeMs),
      }),
      aside({
        name: `CPU of the process a commit and stream, ${count} streams of /api/admin/changes`,
        ours: microseconds(times.ours.cpuUs),
        floor: microseconds(times.floor.cpuUs),
        ratio: times.ours.cpuUs / times.floor.cpuUs,
      }),
    ];
  } finally {
    ours.close();
    floors.close();
    sender.close();
    switches.close();
    await service.end();
    await bare.end();
  }
}

/** Median of the milliseconds of a write while no stream is open. */
async function timeWrites(switches: Switches, flag: string, rounds: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now();
    await switches.next(flag);
    times.push(performance.now() - startedMs);
  }
  return median(times);
}
