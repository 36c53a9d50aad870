import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, requestBytes, targetOf } from '../support/connection.ts';
import { makeFlags } from '../support/flags.ts';
import { type ProbedService, startProbedService } from '../support/probed.ts';
import { atMost, type Figure, inform, milliseconds, setting, single } from '../support/report.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN } from '../support/service.ts';
import { leave } from './opening.ts';
import { Readers } from './readers.ts';

/** BENCH_LARGE_FLAGS (5,400): a list of 2.5 MB. */
const FLAGS = setting('BENCH_LARGE_FLAGS', 5_400);
const [STREAMS, EXPORTS, ROUNDS, HOLD_MS_MAX] = [400, 8, 3, 10];
/** Node reports a pause of the garbage collector some turns later. */
const REPORTED_MS = 200;

interface Cost {
  readonly cpuMs: number;
  readonly heldMs: number;
}

async function costOf(service: ProbedService, action: () => Promise<unknown>): Promise<Cost> {
  await sleep(REPORTED_MS);
  await service.takeHolds();
  const before = service.cpuS();
  await action();
  const cpuMs = (service.cpuS() - before) * 1000;
  await sleep(REPORTED_MS);
  return { cpuMs, heldMs: (await service.takeHolds()).longestOfCodeMs };
}

/** The first round is that of a service that has just started. Of the later ones, the least counts. */
function figuresOf(name: string, [first, ...later]: readonly Cost[]): Figure[] {
  const least = (pick: (cost: Cost) => number) => Math.min(...later.map(pick));
  const held = (when: string, heldMs: number) =>
    atMost(HOLD_MS_MAX, single(`${name}: longest hold, ${when}`, 'ms', heldMs));
  return [
    inform(`${name}: CPU`, milliseconds(least(({ cpuMs }) => cpuMs))),
    held('after a start', first?.heldMs ?? 0),
    held(
      'later',
      least(({ heldMs }) => heldMs),
    ),
  ];
}

/** How long the loop is held by streams that open at once, and by exports at once. Pauses of the garbage collector do not count. */
export async function measureLargeAnswers(): Promise<Figure[]> {
  const service = await startProbedService(makeFlags(FLAGS, { seed: 29 }));
  const target = targetOf(service.url);
  const body = JSON.stringify({ environment: 'development', project: 'default' });
  const headers = { authorization: ADMIN_TOKEN, 'content-type': 'application/json' };
  const request = requestBytes('POST', target, '/api/admin/features-batch/export', headers, body);
  const connections = Array.from({ length: EXPORTS }, () => new Connection(target));
  try {
    const [streams, exports]: [Cost[], Cost[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      // New ones: readers that come back say what they have.
      const readers = new Readers(service.url, '/api/client/streaming', { authorization: CLIENT_TOKEN });
      streams.push(await costOf(service, () => readers.open(service, STREAMS)));
      await leave(service, readers);
      exports.push(await costOf(service, () => Promise.all(connections.map((one) => one.ask(request)))));
    }
    return [
      ...figuresOf(`${STREAMS} streams of ${FLAGS} flags at once`, streams),
      ...figuresOf(`${EXPORTS} exports of ${FLAGS} flags at once`, exports),
    ];
  } finally {
    for (const connection of connections) connection.close();
    await service.end();
  }
}
