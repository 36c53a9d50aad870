import { Connection, requestBytes, targetOf } from '../support/connection.ts';
import { startFloor } from '../support/floors.ts';
import { type Figure, median, pair } from '../support/report.ts';
import type { Process } from '../support/service.ts';
import { Readers } from './readers.ts';
import { bytesOfChange, eventOf, type Sending, type SendTimes, sendInTurn, spreadOf } from './sending.ts';
import { Switches } from './switches.ts';

/** Warm-up writes before the measured ones. */
const WARM_UP_WRITES = 10;

export interface Sent {
  readonly ours: SendTimes;
  readonly floor: SendTimes;
  /** On the wire, for each stream. */
  readonly eventBytes: number;
}

interface BesideBare {
  readonly ours: Readers;
  readonly switches: Switches;
  /** Opens as many streams at the bare server. */
  openFloor(count: number): Promise<unknown>;
  /** Changes the flag, in turn with the bare server that writes as many bytes to as many streams. */
  send(rounds: number, flag: string, marker?: string): Promise<Sent>;
}

/** Readers of this path, beside a bare uWebSockets.js server. Ends the service, too. */
export async function besideBare<T>(
  service: Process,
  [path, headers]: readonly [...(ConstructorParameters<typeof Readers> extends [string, ...infer Rest] ? Rest : never)],
  work: (beside: BesideBare) => Promise<T>,
): Promise<T> {
  const bare = await startFloor('streams');
  const target = targetOf(bare.url);
  const [switches, sender] = [new Switches(service.url), new Connection(target)];
  const [ours, floors] = [new Readers(service.url, path, headers), new Readers(bare.url, '/stream')];
  try {
    return await work({
      ours,
      switches,
      openFloor: (count) => floors.open(bare, count),
      async send(rounds, flag, marker) {
        const cause = () => switches.next(flag);
        const sent: Sending = { server: service, readers: ours, cause, ...(marker && { marker }) };
        const eventBytes = await bytesOfChange(sent);
        const post = requestBytes('POST', target, '/tell', {}, eventOf(eventBytes));
        const floor: Sending = { server: bare, readers: floors, cause: () => sender.ask(post) };
        return { eventBytes, ...(await sendInTurn(rounds, sent, floor)) };
      },
    });
  } finally {
    for (const each of [ours, floors, sender, switches]) each.close();
    await service.end();
    await bare.end();
  }
}

/** Milliseconds of a write while no stream is open: the median. */
export async function timeWrites(switches: Switches, flag: string, rounds: number): Promise<number> {
  for (let round = 0; round < WARM_UP_WRITES; round++) await switches.next(flag);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now();
    await switches.next(flag);
    times.push(performance.now() - startedMs);
  }
  return median(times);
}

type Both = Pick<Sent, 'ours' | 'floor'>;

/** The time until that share of the readers has the change. `writeMs` is the durable write that the floor does not have. */
export function reachRow(name: string, { ours, floor }: Both, share: 'p50' | 'p99' | 'last', writeMs = 0): Figure {
  return pair(name, 'ms', spreadOf(ours.times)[share], spreadOf(floor.times)[share] + writeMs);
}

export const cpuRow = (name: string, { ours, floor }: Both): Figure => pair(name, 'µs', ours.cpuUs, floor.cpuUs);
